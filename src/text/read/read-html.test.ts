import { describe, expect, it } from 'vitest';
import { readHtml } from './read-html.ts';

const markdown = async (html: string) => (await readHtml('a.html', html)).markdown;
const paragraphs = Array.from(
  { length: 12 },
  (_, index) => `<p>Paragraph ${index}, which has words, commas, and an end that comes late enough.</p>`,
).join('\n');

describe('HTML as Markdown', () => {
  it.each([
    [
      'headings without the signs that link to them',
      '<h1>Big <a href="#x">¶</a></h1><h3>Small</h3>',
      '# Big\n\n### Small\n',
    ],
    [
      'words of links, and no emphasis',
      '<p>A <b>bold</b> <a href="x">link</a> &amp; more&hellip;</p>',
      'A bold link & more…\n',
    ],
    ['line breaks', '<p>one<br>two  \n three</p>', 'one\ntwo three\n'],
    [
      'lists in lists',
      '<ul><li>a<li><p>b</p><p>c</p><ol start="3"><li>n<li>m</ol><li>d</ul>',
      '- a\n- b\n\n  c\n  3. n\n  4. m\n- d\n',
    ],
    [
      'code with its language',
      '<p>x</p><pre><code class="hljs language-js">a &lt; b;\n  c\n</code></pre>',
      'x\n\n```js\na < b;\n  c\n```\n',
    ],
    ['code that holds a fence', '<pre>```\nx\n```</pre>', '````\n```\nx\n```\n````\n'],
    ['inline code', '<p>Call <code>a&lt;b</code>.</p>', 'Call `a<b`.\n'],
    ['quotations', '<p>x</p><blockquote><p>a</p><p>b</p></blockquote><p>y</p>', 'x\n\n> a\n>\n> b\n\ny\n'],
    [
      'tables',
      '<table><tr><th>A<th>B<tr><td>1|2<td><p>3</p><p>4</p></table>',
      '| A | B |\n| --- | --- |\n| 1\\|2 | 3 4 |\n',
    ],
    [
      'text that looks like Markdown',
      '<p># a</p><p>1. b</p><p>- c</p><p>```</p>',
      '\\# a\n\n1\\. b\n\n\\- c\n\n\\```\n',
    ],
    [
      'no scripts, styles and pictures',
      '<style>a</style><script>if (a < b) {}</script><p>x<img alt="a cat"></p><svg><text>y</text></svg>',
      'xa cat\n',
    ],
    ['broken tags', '<p>a < b <3 </p></x><div', 'a < b <3\n'],
  ])('%s', async (_, html, expected) => {
    expect(await markdown(html)).toBe(expected);
  });
});

describe('the main part of a page', () => {
  it('is the part that the page marks', async () => {
    const text = await markdown(
      `<body><nav>Menu</nav><p>Around</p><main>${paragraphs}</main><footer>Foot</footer></body>`,
    );
    expect(text).toContain('Paragraph 11');
    expect(text).not.toMatch(/Menu|Around|Foot/);
  });

  it('is found by its text when nothing is marked', async () => {
    const links = Array.from({ length: 20 }, (_, index) => `<li><a href="/${index}">Menu entry ${index}</a></li>`).join(
      '',
    );
    const text = await markdown(
      `<html><body><div class="sidebar"><ul>${links}</ul></div><div class="content">${paragraphs}</div></body></html>`,
    );
    expect(text).toContain('Paragraph 11');
    expect(text).not.toContain('Menu entry');
  });

  it('is the whole page without navigation when it is short', async () => {
    expect(await markdown('<nav>Menu</nav><p>Text</p><footer>Foot</footer>')).toBe('Text\n');
    expect(await markdown('<nav>Only this</nav>')).toBe('Only this\n');
  });
});

it("the title is the one for sharing, else the page's own", async () => {
  const head = '<title>Page &amp; more – Site</title>';
  expect((await readHtml('a', `${head}<p>x</p>`)).title).toBe('Page & more – Site');
  expect((await readHtml('a', `<meta property="og:title" content="Page">${head}<p>x</p>`)).title).toBe('Page');
  expect((await readHtml('a', '<p>x</p>')).title).toBeNull();
});
