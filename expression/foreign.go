package expression

import "strings"

// foreignFunctions are functions of SQL and of other languages under their
// names in lower case, without _: the function that does the same here.
var foreignFunctions = map[string]string{
	"toupper": "upper", "uppercase": "upper", "ucase": "upper", "tolower": "lower", "lowercase": "lower", "lcase": "lower",
	"length": "len", "size": "len", "strlen": "len", "charlength": "len", "cardinality": "len",
	"strip": "trim", "ltrim": "trim", "rtrim": "trim", "btrim": "trim",
	"instr": "indexOf", "strpos": "indexOf", "position": "indexOf", "charindex": "indexOf", "locate": "indexOf",
	"average": "mean", "avg": "mean", "greatest": "max", "least": "min", "ceiling": "ceil",
	"distinct": "uniq", "unique": "uniq", "some": "any", "every": "all",
	"tostring": "string", "str": "string", "tochar": "string", "toint": "int", "parseint": "int", "integer": "int",
	"tofloat": "float", "parsefloat": "float", "number": "float", "tonumber": "float", "typeof": "type",
	"parsejson": "fromJSON", "jsonparse": "fromJSON", "stringify": "toJSON", "jsonstringify": "toJSON",
	"today": "now", "getdate": "now", "currenttimestamp": "now",
	"todate": "date", "timestamp": "date", "totimestamp": "date", "parsedate": "date", "strptime": "date",
	"strftime": "format", "dateformat": "format", "formatdate": "format", "datetrunc": "truncate", "dayofweek": "weekday",
}

// foreignForms are such functions for which there is an operator or a form.
var foreignForms = map[string]string{
	"coalesce": "a ?? b", "ifnull": "a ?? b", "nvl": "a ?? b",
	"isnull": "x == nil", "isnil": "x == nil", "isempty": `x == ""`, "exists": "x != nil", "isnotnull": "x != nil",
	"nullif":    "a == b ? nil : a",
	"substring": "x[0:2]", "substr": "x[0:2]", "mid": "x[0:2]", "slice": "x[0:2]", "left": "x[:2]", "right": "x[-2:]",
	"iif": "condition ? value : other", "ifelse": "condition ? value : other", "case": "condition ? value : other",
	"like": `x matches "^a"`, "regexpmatch": `x matches "^a"`, "regexplike": `x matches "^a"`, "regexmatch": `x matches "^a"`, "match": `x matches "^a"`,
	"includes": `x contains "a"`, "pow": "a ** b", "power": "a ** b", "sqrt": "x ** 0.5", "mod": "a % b",
	"sha1": "sha256(x)", "sha512": "sha256(x)", "sha": "sha256(x)", "hash": "sha256(x)",
	"datediff": "t - u", "dateadd": `t + duration("1h")`, "between": "1 <= x <= 9",
}

func foreignName(name string) string { return strings.ReplaceAll(strings.ToLower(name), "_", "") }
