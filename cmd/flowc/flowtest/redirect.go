package flowtest

import (
	"fmt"
	"slices"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/planner"
)

// redirect leads every connection of a plan that is nobody else's to the test's
// server, which asks for no credentials. What the flow reads from the environment
// comes from the test: a missing variable is the error that it would be in a run.
func redirect(plan *planner.Plan, url string, env map[string]string) error {
	for _, flow := range plan.Flows {
		if err := redirectFlow(flow, url, env); err != nil {
			return err
		}
	}
	return nil
}

func redirectFlow(flow *planner.Flow, url string, env map[string]string) error {
	for _, c := range flow.Connections() {
		if err := resolve(c.Settings, env); err != nil {
			return err
		}
		c.Settings = connectors.Settings{"url": []string{url}}
		c.Kind.Connection.Complete(c.Settings)
	}
	for _, sink := range flow.Sinks {
		if err := resolve(sink.Spec.Settings, env); err != nil {
			return err
		}
	}
	return nil
}

// resolve replaces references to the environment by their values.
func resolve(settings connectors.Settings, env map[string]string) error {
	var missing []string
	for key, value := range settings {
		reference, ok := value.(connectors.Secret)
		if !ok || reference.From != "env" {
			continue
		}
		text := env[reference.Name]
		if text == "" {
			missing = append(missing, reference.Name)
		}
		settings[key] = connectors.Given(text)
	}
	if len(missing) > 0 {
		return fmt.Errorf("the environment variable %s is not set", slices.Min(missing))
	}
	return nil
}
