import fc from 'fast-check';

/** Generates source code with nested declarations, comments, strings that look like code, and blank lines. */
const name = fc.stringMatching(/^[a-z][a-zA-Z]{2,10}$/);
const simple = fc.oneof(
  name.map((each) => `${each}(1, "a { b", 'c');`),
  name.map((each) => `const ${each} = [1, 2, 3];`),
  fc.constantFrom(
    '// a comment {',
    '/* one',
    '   two } */',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the code of a template.
    'return `a ${b} {`;',
    '',
    '',
    'x = /[{"]/;',
    "let s = '}';",
  ),
  fc.stringMatching(/^[a-z ]{80,200}$/),
);

export const arbitraryBraceCode = fc
  .array(
    fc.tuple(
      fc.constantFrom('function', 'class', 'export function', '// about it\nfunction'),
      name,
      fc.array(simple, { maxLength: 12 }),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((declarations) =>
    declarations
      .map(
        ([kind, id, lines]) =>
          `${kind} ${id}() {\n${lines.map((each) => each.replace(/^(?=.)/gm, '  ')).join('\n')}\n}`,
      )
      .join('\n\n'),
  );

export const arbitraryIndentCode = fc
  .array(
    fc.tuple(
      fc.constantFrom('def', 'class', '@decorated\ndef', '# about it\ndef'),
      name,
      fc.array(fc.tuple(fc.integer({ min: 1, max: 4 }), simple), { maxLength: 12 }),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((declarations) =>
    declarations
      .map(
        ([kind, id, lines]) =>
          `${kind} ${id}():\n${lines.map(([depth, each]) => each.replace(/^(?=.)/gm, '    '.repeat(depth))).join('\n')}`,
      )
      .join('\n\n'),
  );

/** Generates random characters. */
export const arbitraryCodeSigns = fc
  .array(
    fc.constantFrom(
      '{',
      '}',
      '(',
      ')',
      '[',
      ']',
      '"',
      "'",
      '`',
      '${',
      '/*',
      '*/',
      '//',
      '#',
      '"""',
      '\\',
      '\n',
      '\n',
      '  ',
      'a',
      'end',
      'def x',
      ',',
      '<',
      'é',
      '\t',
    ),
    {
      maxLength: 80,
    },
  )
  .map((signs) => signs.join(''));
