package main

import (
	"github.com/flowlang/flow/cmd/flowc/langserver"
	"github.com/spf13/cobra"
)

func (a *app) lspCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor: findings, completion, hover, definitions, formatting",
		Long: `lsp speaks the Language Server Protocol on standard input and output.
An editor starts it; it reads no files and needs no server.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			err := langserver.Serve(a.in, a.out, langserver.Options{Kinds: a.kinds, Namespace: a.namespace, Version: version()})
			if err != nil {
				return &failure{status: statusFailed, err: err}
			}
			return nil
		},
	}
}
