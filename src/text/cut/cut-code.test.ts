import { expect, it } from 'vitest';
import { prepareDocument } from '../prepare-document.ts';

const prepare = (name: string, content: string, maxTokens = 40) =>
  prepareDocument({ name, content }, { maxTokens, overlapTokens: 0 });
const places = (chunks: { heading: string[]; startLine: number; endLine: number }[]) =>
  chunks.map(({ heading, startLine, endLine }) => `${heading.join('.')} ${startLine}-${endLine}`);

it('declarations are passages with their leading comments, and methods are under their class', async () => {
  const { title, chunks } = await prepare(
    'src/shop.ts',
    [
      "import { a } from './a.ts';",
      '',
      '/** A shop',
      'that sells. */',
      'export class Shop {',
      '  #stock = new Map<string, number>();',
      '',
      '  // Braces in texts: `{`',
      '  sell(name: string, count: number): boolean {',
      '    if (count > 3) { return false; }',
      "    return this.#stock.get('}') === 1;",
      '  }',
      '',
      '  async buy(name: string): Promise<void> {',
      '    this.#stock.set(name, 1 + (this.#stock.get(name) ?? 0));',
      '    await this.#save(`',
      'not at the left }',
      '`);',
      '  }',
      '}',
      '',
      'export const open = () => {',
      '  return new Shop({ stock: [1, 2, 3], name: "x", other: "y" });',
      '};',
    ].join('\n'),
    60,
  );
  expect(title).toBe('shop.ts');
  expect(places(chunks)).toEqual([' 1-1', 'Shop 3-6', 'Shop.sell 8-12', 'Shop.buy 14-20', 'open 22-24']);
});

it('Python is cut by its indentation; decorators, docstrings and open brackets belong to their function', async () => {
  const source = [
    'import os',
    '',
    '@decorated(1)',
    'class Foo(Base):',
    '    """Doc.',
    'at the left',
    '    """',
    '',
    '    # about one',
    '    def one(self,',
    '    b):',
    '        return compute(self, b, other=1, more=2)',
    '',
    '    def two(self):',
    '        return compute(self, 1, other=1, more=2)',
    '',
    'def bar():',
    '    return compute(None, 1, other=1, more=2)',
  ].join('\n');
  const { chunks } = await prepare('a.py', source, 32);
  expect(places(chunks)).toEqual([' 1-1', 'Foo 3-7', 'Foo.one 9-12', 'Foo.two 14-15', 'bar 17-18']);
});

it.each([
  ['a.go', 'func (s *Server) Serve(ctx context.Context) error {\n\treturn nil\n}', 'Serve'],
  ['a.rs', "impl<'a> Parser for Reader<'a> {\n    fn next(&mut self) -> char { 'x' }\n}", "Parser for Reader<'a>"],
  ['A.java', 'public static void main(String[] args) {\n  run();\n}', 'main'],
  ['a.c', 'int\nmain(void)\n{\n  return 0;\n}', 'main'],
  ['a.rb', 'def call(env)\n  env\nend', 'call'],
  ['a.lua', 'local function step(x)\n  return x\nend', 'step'],
  ['a.sql', 'CREATE TABLE IF NOT EXISTS shop (\n  id int\n);', 'shop'],
  ['a.test.ts', "describe('a shop', () => {\n  run();\n});", 'a shop'],
  ['a.css', '.card > a {\n  color: red;\n}', '.card > a'],
  ['a.tf', 'resource "aws_vpc" "main" {\n  id = 1\n}', 'aws_vpc.main'],
  ['a.yaml', 'services:\n  web: 1', 'services'],
  ['a.toml', '[tool.shop]\nname = "x"', 'tool.shop'],
])('the name of a declaration in %s', async (name, source, expected) => {
  const { chunks } = await prepare(name, source);
  expect(chunks.map((chunk) => chunk.heading)).toEqual([[expected]]);
});

it('JSON is cut between its entries', async () => {
  const value = {
    name: 'shop',
    open: { monday: 'from eight to noon', friday: 'all day long' },
    stock: ['nails', 'screws', 'hooks', 'rope'],
  };
  const { chunks } = await prepare('a.json', JSON.stringify(value, null, 2), 32);
  expect(chunks.map((chunk) => chunk.heading)).toContainEqual(['stock']);
});

it('passages of a CSV file begin with the header, and a quoted line feed does not end a row', async () => {
  const rows = Array.from({ length: 20 }, (_, index) => `${index},"first line\nsecond, line"`);
  const { chunks } = await prepare('a.csv', ['id,text', ...rows].join('\n'));
  expect(chunks.length).toBeGreaterThan(3);
  for (const chunk of chunks) expect(chunk.text).toMatch(/^id,text\n\d+,"first[\s\S]*line"$/);
});
