package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// root is that of the module.
const root = ".."

// packages are the folders of the module that hold Go files.
func packages(t *testing.T) []string {
	t.Helper()
	var dirs []string
	for _, file := range goFiles(t) {
		if dir := filepath.ToSlash(filepath.Dir(file)); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// goFiles are the module's Go files, relative to its root.
func goFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return filepath.SkipDir
		case filepath.Ext(path) == ".go":
			relative, err := filepath.Rel(root, path)
			files = append(files, relative)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// declarations are the names of the module in the forms package.Name and Type.member.
func declarations(t *testing.T) map[string]bool {
	t.Helper()
	declared := map[string]bool{}
	for _, path := range goFiles(t) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, path), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			declare(declared, file.Name.Name, d)
		}
	}
	return declared
}

func declare(declared map[string]bool, pkg string, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		owner := pkg
		if d.Recv != nil {
			owner = typeName(d.Recv.List[0].Type)
		}
		declared[owner+"."+d.Name.Name] = true
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if spec, ok := spec.(*ast.TypeSpec); ok {
				declared[pkg+"."+spec.Name.Name] = true
				declareMembers(declared, spec)
			}
		}
	}
}

func declareMembers(declared map[string]bool, spec *ast.TypeSpec) {
	var members *ast.FieldList
	switch typ := spec.Type.(type) {
	case *ast.StructType:
		members = typ.Fields
	case *ast.InterfaceType:
		members = typ.Methods
	default:
		return
	}
	for _, field := range members.List {
		for _, name := range field.Names {
			declared[spec.Name.Name+"."+name.Name] = true
		}
	}
}

// typeName is the name of a receiver's type, without pointer and type parameters.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	}
	return ""
}
