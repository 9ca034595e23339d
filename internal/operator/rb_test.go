package operator_test

import (
	"strings"
	"testing"

	"github.com/trowel-project/trowel/internal/param"
)

const jobsRb = `
def top(a, b = "default", c: "keyword")
  Digdag.env.store(top: [a, b, c])
end

def keywords(a, c:, d: 4, **rest)
  Digdag.env.store("got" => [a, c, d, rest.key?(:a), rest[:deep][:k]])
end

def only_rest(**rest)
  Digdag.env.store({rest: rest[:a]}, more: 1)
end

def left
  Digdag.env.store(i: 1, f: 2.5, n: nil, text: "\u00fc\n$", last: 1)
  Digdag.env.store(last: 2)
  Digdag.env.export(e: 1)
  Digdag.env.set_state(s: 1)
  DigdagEnv::STORE_PARAMS["direct"] = Digdag.env.params["a"]
end

def subtasks
  Digdag.env.add_subtask(:top, a: "sub")
  Digdag.env.add_subtask("top")
  Digdag.env.add_subtask(Work, :go, n: 2)
  Digdag.env.add_subtask(:Work, :make, {"n" => 3})
  Digdag.env.add_subtask({"echo>" => "x"})
end

def bad_subtask(kind)
  case kind
  when "dot" then Digdag.env.add_subtask("a.b")
  when "symbol" then Digdag.env.add_subtask(5)
  when "class" then Digdag.env.add_subtask(:Nowhere, :go)
  when "no class" then Digdag.env.add_subtask(5, :go)
  when "method" then Digdag.env.add_subtask(Work, :nowhere)
  when "none" then Digdag.env.add_subtask
  when "many" then Digdag.env.add_subtask(1, 2, 3)
  end
end

def fails
  raise IOError, "not good: 5"
end

def prints
  puts ENV["A"].inspect, ENV["a"].inspect, ARGV[0]
end

def leaves
  exit 3
end

class Work
  def initialize(a, step: 1)
    @a = a + step
  end

  def go(n)
    Digdag.env.store(n: @a + n)
  end

  def self.make(n)
    Digdag.env.store(made: n)
  end

  class Inner
    def self.go(**all)
      Digdag.env.store(inner: all[:a])
    end

    def plain
      Digdag.env.store(plain: 1)
    end
  end
end
`

func ruby(more ...any) *param.Map {
	return param.Merged(param.Of("rb", param.Of("require", "jobs")), param.Of(more...))
}

// Operators 3.4; the case rb-methods. Keywords are passed as keywords in every version of Ruby.
func TestRb(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		scripting
		sub, export, store string
	}{
		{scripting: scripting{name: "defaults", own: param.Of("rb>", "top"), inherited: ruby("a", 1)}, store: `{"top":[1,"default","keyword"]}`},
		{
			scripting: scripting{name: "arguments", own: param.Of("rb>", "top", "b", 2, "c", nil), inherited: ruby("a", 1)},
			store:     `{"top":[1,2,null]}`,
		},
		{
			scripting: scripting{name: "keywords", own: param.Of("rb>", "keywords", "c", 3), inherited: ruby("a", 1, "deep", param.Of("k", "v"))},
			store:     `{"got":[1,3,4,true,"v"]}`,
		},
		{scripting: scripting{name: "rest", own: param.Of("rb>", "only_rest"), inherited: ruby("a", 1)}, store: `{"rest":1,"more":1}`},
		{
			scripting: scripting{name: "what is left", own: param.Of("rb>", "left"), inherited: ruby("a", 1)},
			export:    `{"e":1}`, store: `{"i":1,"f":2.5,"n":null,"text":"ü\n$","last":2,"direct":1}`,
		},
		{
			scripting: scripting{name: "subtasks", own: param.Of("rb>", "subtasks"), inherited: ruby()},
			sub: `{"+subtask0":{"a":"sub","rb>":"top"},"+subtask1":{"rb>":"top"},"+subtask2":{"n":2,"rb>":"::Work.go"},` +
				`"+subtask3":{"n":3,"rb>":"::Work.make"},"+subtask4":{"echo>":"x"}}`,
		},
		{scripting: scripting{name: "method of an instance", own: param.Of("rb>", "Work.go", "n", 2), inherited: ruby("a", 1, "step", 10)}, store: `{"n":13}`},
		{scripting: scripting{name: "method of a class", own: param.Of("rb>", "::Work.make", "n", 2), inherited: ruby()}, store: `{"made":2}`},
		{scripting: scripting{name: "nested class", own: param.Of("rb>", "Work::Inner.go"), inherited: ruby("a", 1)}, store: `{"inner":1}`},
		{scripting: scripting{name: "without a constructor", own: param.Of("rb>", "Work::Inner.plain"), inherited: ruby()}, store: `{"plain":1}`},
		{
			scripting: scripting{
				name: "environment", own: param.Of("rb>", "prints", "_env", param.Of("A", "<${secret:k}>")),
				inherited: ruby("a", 1), output: "\"<<k>>\"\nnil\nprints\n",
			},
		},
		{
			scripting: scripting{
				name: "working directory", own: param.Of("rb>", "prints", "_workdir", "sub"),
				inherited: ruby(), output: "nil\nnil\nprints\n",
			},
		},
		{
			scripting: scripting{
				name: "script", own: param.Of("rb>", nil, "script", `require "json"; File.write(ARGV[1], JSON.dump("store_params" => {"n" => ARGV.length}))`),
				inherited: ruby(),
			},
			store: `{"n":2}`,
		},
		{scripting: scripting{name: "interpreter with options", own: param.Of("rb>", "top", "ruby", param.List{"ruby", "-W0"}), inherited: ruby("a", 1)}, store: `{"top":[1,"default","keyword"]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.files = map[string]string{"jobs.rb": jobsRb, "sub/jobs.rb": jobsRb}
			result := c.check(t).Result
			for _, part := range []struct {
				name, want string
				got        *param.Map
			}{{"subtasks", c.sub, result.Subtasks}, {"export", c.export, result.Export}, {"store", c.store, result.Store}} {
				if got := param.JSON(param.Merged(param.New(), part.got)); got != part.want && (part.want != "" || got != "{}") {
					t.Errorf("%s = %s, want %s", part.name, got, part.want)
				}
			}
		})
	}
}

// Operators 3.4: the message only has what the method raises. The rest is in the task's log.
func TestRbFailures(t *testing.T) {
	t.Parallel()
	const failed = "Ruby command failed with code 1"
	for _, c := range []struct {
		name, message, logged string
		own                   *param.Map
	}{
		{name: "exception", own: param.Of("rb>", "fails"), message: failed + ": not good: 5 (IOError)", logged: "not good: 5 (IOError)"},
		{name: "exit", own: param.Of("rb>", "leaves"), message: "Ruby command failed with code 3 (runtime)"},
		{name: "no method", own: param.Of("rb>", "nowhere"), message: failed + " (runtime)", logged: "nowhere"},
		{name: "no class", own: param.Of("rb>", "Nowhere.go"), message: failed + " (runtime)", logged: "uninitialized constant Nowhere"},
		{name: "missing argument", own: param.Of("rb>", "top"), message: failed + " (runtime)", logged: "Method 'top' requires parameter 'a' but not set"},
		{name: "missing keyword", own: param.Of("rb>", "keywords", "a", 1), message: failed + " (runtime)", logged: "Method 'keywords' requires parameter 'c' but not set"},
		{
			name: "missing argument of a method", own: param.Of("rb>", "Work.go", "a", 1), message: failed + " (runtime)",
			logged: "Method 'Work#go' requires parameter 'n' but not set",
		},
		{
			name: "missing argument of a class method", own: param.Of("rb>", "Work.make"), message: failed + " (runtime)",
			logged: "Method 'Work.make' requires parameter 'n' but not set",
		},
		{
			name: "missing argument of a constructor", own: param.Of("rb>", "Work.go"), message: failed + " (runtime)",
			logged: "Method 'Work.new' requires parameter 'a' but not set",
		},
		{name: "feature", own: param.Of("rb>", "top", "require", "nowhere"), message: failed + " (runtime)", logged: "cannot load such file -- nowhere"},
		{name: "dot in a subtask", own: param.Of("rb>", "bad_subtask", "kind", "dot"), message: failed + ": Method name can't include '.' (ArgumentError)"},
		{name: "no symbol in a subtask", own: param.Of("rb>", "bad_subtask", "kind", "symbol"), message: failed + ": Method name must be a Symbol but got 5 (ArgumentError)"},
		{name: "unknown class in a subtask", own: param.Of("rb>", "bad_subtask", "kind", "class"), message: failed + ": Could not find class named Nowhere (ArgumentError)"},
		{
			name: "no class in a subtask", own: param.Of("rb>", "bad_subtask", "kind", "no class"),
			message: failed + ": First argument must be a Class or Symbol but got 5 (ArgumentError)",
		},
		{
			name: "unknown method in a subtask", own: param.Of("rb>", "bad_subtask", "kind", "method"),
			message: failed + ": Class Work does not have method :nowhere (ArgumentError)",
		},
		{
			name: "empty subtask", own: param.Of("rb>", "bad_subtask", "kind", "none"),
			message: failed + ": wrong number of arguments (0 for 1..3 with the last argument is a Hash) (ArgumentError)",
		},
		{
			name: "too much of a subtask", own: param.Of("rb>", "bad_subtask", "kind", "many"),
			message: failed + ": wrong number of arguments (3 for 1..3 with the last argument is a Hash) (ArgumentError)",
		},
		{name: "ruby is a number", own: param.Of("rb>", "top", "ruby", 3), message: "Invalid ruby: 3 (config)"},
		{name: "no script", own: param.Of("_type", "rb"), message: "Parameter 'script' is required but not set (config)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, c.own).File("jobs.rb", jobsRb)
			f.Inherited.Merge(ruby())
			_, err := f.Run()
			got, trace, hasTrace := strings.Cut(message(err), "\n\tfrom ")
			if got != c.message {
				t.Errorf("message = %q, want %q\noutput: %s", got, c.message, f.Output.String())
			}
			if hasTrace && !strings.Contains(trace, "jobs.rb:") {
				t.Errorf("trace = %q, want the method in it", trace)
			}
			if !strings.Contains(f.Output.String(), c.logged) {
				t.Errorf("output = %q, want %q in it", f.Output.String(), c.logged)
			}
		})
	}
}
