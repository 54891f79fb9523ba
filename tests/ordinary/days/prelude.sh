# What every day starts with: a small project with a few commits, and short words for the things people do.
set -eu
w() { file=$1; shift; mkdir -p "$(dirname "$file")"; printf '%s\n' "$@" >"$file"; }
ap() { file=$1; shift; printf '%s\n' "$@" >>"$file"; }
ed() { file=$1; shift; sed -i.bak "$@" "$file"; rm "$file.bak"; }
ci() { git add -A; git commit -q -m "$1"; }
py() { python3 - "$@"; }
project() {
    w src/app.py 'import os' 'import sys' '' 'from util import total' '' '' 'def main(arguments):' \
        '    rows = read_rows(arguments[0])' '    print("total", total(rows))' '    return 0' '' '' \
        'def read_rows(path):' '    with open(path) as file:' '        return [int(line) for line in file]' '' '' \
        'if __name__ == "__main__":' '    sys.exit(main(sys.argv[1:]))'
    w src/util.py 'def total(rows):' '    result = 0' '    for row in rows:' '        result += row' '    return result' '' '' \
        'def average(rows):' '    return total(rows) / len(rows)' '' '' 'def largest(rows):' '    return max(rows)'
    w web/app.js 'const items = []' '' 'function add(item) {' '  items.push(item)' '  render(items)' '}' '' \
        'function render(list) {' '  document.title = "items: " + list.length' '}'
    w main.go 'package main' '' 'import "fmt"' '' 'func main() {' '	fmt.Println("hello", answer())' '}' '' \
        'func answer() int {' '	return 42' '}'
    w README.md '# Project' '' 'A small project.' '' '## Use' '' 'Run it.'
    w tests/test_util.py 'from util import total' '' '' 'def test_total():' '    assert total([1, 2]) == 3'
    w .gitignore 'build/' '*.o' '__pycache__/' '.env'
    ci 'first'
    ap README.md '' '## License' '' 'Free.'
    ci 'license'
}
