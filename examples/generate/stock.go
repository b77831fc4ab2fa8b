package main

// place is where customers live.
type place struct {
	country, region, city, postcode, prefix, currency string
	names, carriers                                   []string
}

var places = []place{
	{"DE", "eu", "Köln", "50667", "+49 221", "EUR", []string{"Jürgen Groß", "Anja Schäfer"}, []string{"DHL", "Hermes"}},
	{"FR", "eu", "Besançon", "25000", "+33 3", "EUR", []string{"Zoë Lefèvre", "André Maçon"}, []string{"Colissimo", "DPD"}},
	{"PL", "eu", "Łódź", "90-001", "+48 42", "PLN", []string{"Grażyna Wójcik", "Paweł Żak"}, []string{"InPost"}},
	{"US", "us", "Portland", "97201", "+1 503", "USD", []string{"Dana O'Neil", "Lee Park"}, []string{"UPS", "USPS"}},
	{"JP", "asia", "京都市", "600-8216", "+81 75", "USD", []string{"山田 花子", "佐藤 健"}, []string{"ヤマト運輸"}},
}

var goods = []item{
	{SKU: "TEA-SENCHA-100", Name: "Sencha 煎茶, 100 g", Price: 8.95},
	{SKU: "CUP-BLUE", Name: "Cup \"Blue Hour\"", Price: 12.5},
	{SKU: "SHIRT-LINEN", Name: "Linen shirt", Price: 49.9},
	{SKU: "COFFEE-250", Name: "Café crème, 250 g", Price: 7.25},
	{SKU: "BOOK-ATLAS", Name: "Atlas of rivers & lakes", Price: 34.8},
	{SKU: "SOAP-OLIVE", Name: "Olive soap 🫒", Price: 4.15},
}

var (
	wrappings = []string{"kraft paper", "linen", "風呂敷"}
	methods   = []string{"card", "transfer", "invoice", "wallet"}
	tags      = [][]string{{"gift"}, {"priority", "fragile"}, {"first order"}, {"gift", "priority"}}
	discounts = []discount{{"SPRING10", 10}, {"WELCOME", 5}, {"LOYAL15", 15}}
	notes     = []string{"please ring twice", "laissez le colis chez la voisine", "置き配でお願いします", "back door,\nsecond floor"}
	regrets   = []string{"changed my mind", "found it elsewhere", "payment was refused"}
	faults    = []string{"arrived too late", "damaged on the way", "not as pictured"}
)
