import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillTemplate, previewTemplate, templateProblems, templateReferences } from './fill-template.ts';
import { ToolInputSchema } from './tool-parameters.ts';

const parameters = ToolInputSchema.parse({
  type: 'object',
  properties: {
    destination: { type: 'string' },
    departure_date: { type: 'string' },
    seats: { type: 'integer', default: 1 },
    isReturn: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string', default: 'none' }, maxItems: 3 },
    pair: { type: 'array', items: [{ type: 'string' }, { type: 'object', properties: { x: { type: 'number' } } }] },
    address: {
      type: 'object',
      properties: {
        city: { type: 'string', default: 'Ulm' },
        street: { type: 'string' },
        toString: { type: 'string' },
      },
    },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    anything: { type: 'object', additionalProperties: true },
    free: { type: 'object' },
    'a.b': { type: 'string' },
    a: { type: 'object', properties: { b: { type: 'string' }, c: { type: 'string' } } },
  },
});
const tool = { name: 'book_flight', description: 'Books a flight', version: '2', parameters };
const fill = (template: string, values: Record<string, unknown> = {}) =>
  fillTemplate(template, { tool, parameters: values });
const preview = (template: string, values: Record<string, unknown> = {}) =>
  previewTemplate(template, { tool, parameters: values });

describe('a template', () => {
  it('of a complete tool is filled in one pass', () => {
    const template = 'The user wants to book a flight to {destination} on {departure_date}, please book accordingly';
    expect(fill(template, { destination: 'Paris, France', departure_date: '2026-05-01' })).toBe(
      'The user wants to book a flight to Paris, France on 2026-05-01, please book accordingly',
    );
  });

  it.each<[string, string, Record<string, unknown>, string]>([
    [
      'a value that reads as a reference stays',
      '{destination}',
      { destination: '{seats}{name}{{x}}' },
      '{seats}{name}{{x}}',
    ],
    [
      'a value that reads as a replacement stays',
      '<{destination}>',
      { destination: "$& $1 $$ $` $'" },
      "<$& $1 $$ $` $'>",
    ],
    ['one reference twice', '{seats} and {seats}', { seats: 2 }, '2 and 2'],
    ['a number', '{seats}', { seats: 1.5e21 }, '1.5e+21'],
    ['a boolean', '{isReturn}', { isReturn: false }, 'false'],
    ['an object is JSON', '{address}', { address: { city: 'Ulm' } }, '{"city":"Ulm"}'],
    ['a list is JSON', '{tags}', { tags: ['a', '"'] }, '["a","\\""]'],
    ['a part of an object', '{address.street}!', { address: { street: 'High' } }, 'High!'],
    ['an item of a list', '{tags.1}', { tags: ['a', 'b'] }, 'b'],
    ['a part of a place', '{pair.1.x}', { pair: ['a', { x: 4 }] }, '4'],
    ['a map', '{labels.env}', { labels: { env: 'test' } }, 'test'],
    ['what is free inside', '{anything.x.0.y}', { anything: { x: [{ y: null }] } }, 'null'],
    ['a name with a dot, before its parts', '{a.b}{a.c}', { 'a.b': '1', a: { b: '2', c: '3' } }, '13'],
    ['literal braces', '{{destination}} {{}} {{{seats}}}', { seats: 2 }, '{destination} {} {2}'],
    ['words of the tool', '{name} {version}: {description}', {}, 'book_flight 2: Books a flight'],
    ['an undeclared argument fills nothing', '{name}', { name: 'x', destination: 'y' }, 'book_flight'],
    ['a missing value is empty', '[{destination}]', {}, '[]'],
    ['a missing value becomes its default', '{seats}', {}, '1'],
    ['the default of a part', '{address.city}', { address: {} }, 'Ulm'],
    ['a part of a missing value becomes its default', '{address.city}', {}, 'Ulm'],
    ['an item that is not there', '[{tags.0}]', { tags: [] }, '[]'],
    [
      'what only a prototype has',
      '[{address.toString}{anything.constructor}{anything.__proto__}]',
      { address: {}, anything: {} },
      '[]',
    ],
    ['the length of a list is no item', '[{anything.list.length}]', { anything: { list: [1] } }, '[]'],
    ['an empty text is a value', '[{seats}{destination}]', { seats: 0, destination: '' }, '[0]'],
    ['what it does not know stays', '{nobody} { x } {', {}, '{nobody} { x } {'],
    ['nothing', '', {}, ''],
  ])('%s', (_name, template, values, expected) => {
    expect(fill(template, values)).toBe(expected);
  });

  it('a parameter with the name of a tool field wins, even if it is missing', () => {
    const shadowing = ToolInputSchema.parse({
      type: 'object',
      properties: { name: { type: 'string' }, description: { type: 'string', default: 'd' } },
    });
    const values = { tool: { ...tool, parameters: shadowing }, parameters: { name: 'Ann' } };
    expect(fillTemplate('{name} {description} {version}', values)).toBe('Ann d 2');
    expect(fillTemplate('[{name}]', { ...values, parameters: {} })).toBe('[]');
  });

  it('if any parameter is allowed, tool fields still come from the tool', () => {
    const open = { ...tool, parameters: ToolInputSchema.parse({ type: 'object', additionalProperties: true }) };
    expect(fillTemplate('{name} {other}', { tool: open, parameters: { name: 'x', other: 'y' } })).toBe('book_flight y');
  });

  it('keeps references to missing values in a preview, and shows defaults', () => {
    expect(preview('To {destination}, {seats} for {name}: {address.street} {{x}}')).toBe(
      'To {destination}, 1 for book_flight: {address.street} {x}',
    );
    expect(
      preview('{address.street} {tags.0} {destination}', { address: 'half typed', tags: 7, destination: 'X' }),
    ).toBe('{address.street} {tags.0} X');
  });

  it('lists its references with their positions', () => {
    expect(templateReferences('a {x.y} {{no}} {z}')).toEqual([
      { path: 'x.y', from: 2, to: 7 },
      { path: 'z', from: 15, to: 18 },
    ]);
  });
});

describe('a template is checked', () => {
  it('and accepts existing references', () => {
    const fine =
      '{destination} {address.city} {tags.2} {pair.1.x} {labels.env} {anything.x.y} {name} {version} {{ }} {a.b}';
    expect(templateProblems(fine, tool)).toEqual([]);
  });

  it.each<[string, string]>([
    ['{destnation}', '{destnation} is not a parameter of the tool; did you mean {destination}?'],
    ['{Name}', '{Name} is not a parameter of the tool; did you mean {name}?'],
    ['{ seats }', '{ seats } is not a parameter of the tool; did you mean {seats}?'],
    ['{xyzzy}', '{xyzzy} is not a parameter of the tool.'],
    ['{constructor}', '{constructor} is not a parameter of the tool.'],
    ['{}', '{} is not a parameter of the tool. Write {{ and }} for braces that are text.'],
    ['{"a": 1}', '{"a": 1} is not a parameter of the tool. Write {{ and }} for braces that are text.'],
    ['{address.cty}', '{address.cty}: "address" has no property "cty"; did you mean {address.city}?'],
    ['{free.x}', '{free.x}: "free" has no property "x".'],
    ['{destination.city}', '{destination.city}: "destination" is of type string and has no parts.'],
    ['{tags.first}', '{tags.first}: "tags" is a list; use an index, such as {tags.0}.'],
    ['{tags.length}', '{tags.length}: "tags" is a list; use an index, such as {tags.0}.'],
    ['{tags.3}', '{tags.3}: "tags" has at most 3 items, and the first is 0.'],
    ['{pair.2}', '{pair.2}: "pair" has at most 2 items, and the first is 0.'],
    ['{tags.01}', '{tags.01}: "tags" is a list; use an index, such as {tags.0}.'],
    ['a\n{seats', 'A "{" in line 2 has no closing brace. Write {{ for a literal brace.'],
    ['{seats}}', 'A "}" in line 1 has no opening brace. Write }} for a literal brace.'],
    ['{a{seats}', 'A "{" in line 1 has no closing brace. Write {{ for a literal brace.'],
  ])('%s', (template, sentence) => {
    expect(templateProblems(template, tool)).toEqual([sentence]);
  });

  it('a hundred thousand braces are read as ordinary text', () => {
    expect(templateProblems('{'.repeat(99_999), tool)).toHaveLength(1);
    expect(templateProblems('{x'.repeat(50_000), tool)).toHaveLength(1);
    expect(templateProblems(`{${'a.'.repeat(49_000)}}`, tool)[0]).toContain('is not a parameter of the tool');
    expect(fill('{x'.repeat(50_000))).toBe('{x'.repeat(50_000));
  });
});

describe('whatever the values are', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 20 }).map((each) => each.replace(/[{}]/g, ''));
  const hostile = fc.oneof(
    fc.string(),
    fc.constantFrom('{destination}', '{{', '}}', '$&', '$1', "$'", '{name}', '{', '}', '__proto__'),
  );
  const value = fc.oneof(
    hostile,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.json().map((each) => JSON.parse(each) as unknown),
  );

  it('text outside references is unchanged, and each reference becomes its value', () => {
    const names = ['p0', 'p1', 'p2', 'p3.inner', 'name'];
    const schema = ToolInputSchema.parse({
      type: 'object',
      properties: {
        ...Object.fromEntries(['p0', 'p1', 'p2', 'name'].map((each) => [each, { type: 'string' }])),
        p3: { type: 'object', properties: { inner: { type: 'string' } } },
      },
    });
    const piece = fc.oneof(
      text.map((each) => ({ written: each, name: undefined, printed: each })),
      fc.constantFrom('{', '}').map((brace) => ({ written: brace.repeat(2), name: undefined, printed: brace })),
      fc.constantFrom(...names).map((each) => ({ written: `{${each}}`, name: each, printed: '' })),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.tuple(value, value, value, value, value), (pieces, given) => {
        const [p0, p1, p2, inner, own] = given;
        const values = { p0, p1, p2, p3: { inner }, name: own };
        const byName = new Map(names.map((each, index) => [each, given[index]]));
        const expected = pieces.map((each) =>
          each.name === undefined ? each.printed : literal(byName.get(each.name)),
        );
        const template = pieces.map((each) => each.written).join('');
        const checked = { ...tool, parameters: schema };
        expect(templateProblems(template, checked)).toEqual([]);
        expect(fillTemplate(template, { tool: checked, parameters: values })).toBe(expected.join(''));
        expect(previewTemplate(template, { tool: checked, parameters: {} })).toBe(
          pieces.map((each) => (each.name === undefined ? each.printed : each.written)).join(''),
        );
      }),
      { numRuns: 500 },
    );
  });

  function literal(each: unknown): string {
    return typeof each === 'string' ? each : JSON.stringify(each);
  }

  it('any text is read without loss', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('{', '}', 'a', '.', '\n', '0') }), (template) => {
        const pieces = templateReferences(template);
        for (const { path, from, to } of pieces) expect(template.slice(from, to)).toBe(`{${path}}`);
        const unknown = { ...tool, parameters: ToolInputSchema.parse({ type: 'object' }) };
        const filled = fillTemplate(template, { tool: unknown, parameters: {} });
        expect(filled.replace(/[{}]/g, '')).toBe(template.replace(/[{}]/g, ''));
      }),
    );
  });
});
