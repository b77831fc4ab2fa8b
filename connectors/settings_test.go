package connectors

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestSettingsOfAnotherTypeAreEmpty(t *testing.T) {
	s := Settings{"n": int64(7), "text": "x", "list": []string{"a"}, "on": true, "wait": time.Second, "window": Limits{1, 2}, "to": ParseTemplate("<a>")}
	if s.Text("text") != "x" || s.Count("n") != 7 || !s.Bool("on") || s.Duration("wait") != time.Second ||
		s.Limits("window") != (Limits{1, 2}) || len(s.List("list")) != 1 || s.Template("to").Text != "<a>" {
		t.Errorf("a setting does not come back: %v", s)
	}
	if s.Text("n") != "" || s.Count("text") != 0 || s.Bool("text") || s.Duration("n") != 0 || s.Limits("n") != (Limits{}) || s.List("text") != nil || s.Template("text").Text != "" {
		t.Errorf("a setting of another type is not empty: %v", s)
	}
	if !s.Has("n") || s.Has("missing") {
		t.Error("Has does not tell what was given")
	}
}

func TestReveal(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("FLOW_TEST_SECRET", "from the environment")
	t.Setenv("FLOW_TEST_EMPTY", "")
	t.Setenv("CREDENTIALS_DIRECTORY", dir)
	for _, c := range []struct {
		secret  Secret
		want    string
		wantErr string
	}{
		{Given("word"), "word", ""},
		{Secret{From: "env", Name: "FLOW_TEST_SECRET"}, "from the environment", ""},
		{Secret{From: "env", Name: "FLOW_TEST_EMPTY"}, "", "the environment variable FLOW_TEST_EMPTY is not set"},
		{Secret{From: "file", Name: file("line", "a secret \r\n")}, "a secret ", ""},
		{Secret{From: "file", Name: file("empty", "\n")}, "", "is empty"},
		{Secret{From: "file", Name: filepath.Join(dir, "missing")}, "", "reading a secret"},
		{Secret{From: "secret", Name: "line"}, "a secret ", ""},
		{Secret{From: "secret", Name: "missing"}, "", "reading a secret"},
		{Secret{From: "secret", Name: "../" + filepath.Base(dir) + "/line"}, "", "is that of a file in the store"},
		{Secret{From: "elsewhere", Name: "x"}, "", "`env`, `file` or `secret`"},
	} {
		got, err := Settings{"password": c.secret}.Reveal("password")
		if c.wantErr == "" {
			if err != nil || got != c.want {
				t.Errorf("%s: expected %q, found %q, %v", c.secret, c.want, got, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.wantErr) || ClassOf(err) != Environment || got != "" {
			t.Errorf("%s: expected an environment error with %q, found %q, %v", c.secret, c.wantErr, got, err)
		}
	}
	if got, err := (Settings{"password": "literal"}).Reveal("password"); got != "" || err != nil {
		t.Errorf("expected a literal to be no secret, found %q, %v", got, err)
	}
}

func TestSecretNeverShows(t *testing.T) {
	s := Settings{"password": Given("hush")}
	for _, text := range []string{fmt.Sprint(s), fmt.Sprintf("%v", s["password"]), fmt.Sprintf("%+v", s), fmt.Sprintf("%#v", s["password"]), fmt.Sprintf("%s", s["password"])} {
		if strings.Contains(text, "hush") {
			t.Errorf("the secret shows in %q", text)
		}
	}
}

func TestResolve(t *testing.T) {
	t.Setenv("FLOW_TEST_URL", "nats://there:4222")
	env := Secret{From: "env", Name: "FLOW_TEST_URL"}
	fields := Fields{{Key: "url", Type: List}, {Key: "name", Type: Text}, {Key: "password", Type: Text, Secret: true}}
	given := Settings{"url": env, "name": env, "password": env}
	got, err := given.Resolve(fields)
	want := Settings{"url": []string{"nats://there:4222"}, "name": "nats://there:4222", "password": env}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("expected %v, found %v, %v", want, got, err)
	}
	if !reflect.DeepEqual(given["url"], env) {
		t.Error("the settings that were given have changed")
	}
	if _, err := (Settings{"name": Secret{From: "env", Name: "FLOW_TEST_NOT_SET"}}).Resolve(fields); ClassOf(err) != Environment {
		t.Errorf("expected an environment error, found %v", err)
	}
}
