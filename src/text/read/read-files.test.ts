import { describe, expect, it } from 'vitest';
import { makeDocx, makeZip } from '../../../test/support/knowledge/make-docx.ts';
import { makeEncryptedPdf, makePdf } from '../../../test/support/knowledge/make-pdf.ts';
import { prepareDocument } from '../prepare-document.ts';

const prepare = (name: string, content: Uint8Array | string) =>
  prepareDocument({ name, content }, { maxTokens: 200, overlapTokens: 20 });

it('a PDF file has its title, and passages under their page numbers', async () => {
  const pdf = makePdf([['One line (of two)', 'and the other.'], [], ['The last page']], { title: 'The paper' });
  expect(await prepare('a.pdf', pdf)).toMatchObject({
    title: 'The paper',
    contentType: 'application/pdf',
    metadata: { pages: 3 },
    body: 'One line (of two)\nand the other.\n\nThe last page',
    chunks: [
      { heading: ['Page 1'], startLine: 1, endLine: 2 },
      { heading: ['Page 3'], startLine: 4, endLine: 4, text: 'The last page' },
    ],
  });
});

it('a PDF file is recognized by its first bytes, whatever its name', async () => {
  expect((await prepare('download', makePdf([['Text']]))).body).toBe('Text');
});

it('a Word document becomes Markdown', async () => {
  const docx = makeDocx(
    [
      { style: 'Heading1', text: 'Plan & goals' },
      { text: 'Text < more' },
      {
        rows: [
          ['Who', 'What'],
          ['a', 'b|c'],
        ],
      },
      { style: 'Heading2', text: 'Next' },
      { text: '# no heading' },
    ],
    { title: 'The plan' },
  );
  const { title, body, chunks } = await prepare('plan.docx', docx);
  expect(title).toBe('The plan');
  expect(body).toBe(
    '# Plan & goals\n\nText < more\n\n| Who | What |\n| --- | --- |\n| a | b\\|c |\n\n## Next\n\n\\# no heading\n',
  );
  expect(chunks[0]?.heading).toEqual(['Plan & goals']);
});

describe('unreadable files are rejected with a message', () => {
  it.each([
    ['locked.pdf', makeEncryptedPdf(), /"locked\.pdf" is encrypted.*without a password/],
    ['broken.pdf', Buffer.from('%PDF-1.7\nnothing'), /"broken\.pdf" cannot be read as PDF/],
    ['scan.pdf', makePdf([[]]), /"scan\.pdf" has no text.*OCR/],
    ['broken.docx', Buffer.from('PK no zip'), /"broken\.docx" cannot be read as DOCX/],
    ['other.docx', makeZip({ 'a.txt': 'x' }), /"other\.docx" cannot be read as DOCX/],
    ['cut.docx', makeDocx([{ text: 'x' }]).subarray(0, 900), /"cut\.docx" cannot be read as DOCX/],
    ['locked.docx', Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), /"locked\.docx" is encrypted or in the old DOC format/],
    [
      'bomb.docx',
      makeZip({ 'word/document.xml': Buffer.alloc(110_000_000, 32) }, { 'word/document.xml': 10 }),
      /more than 20 MB/,
    ],
    ['picture.md', Buffer.from([1, 0, 2]), /"picture\.md" cannot be read as text/],
  ])('%s', async (name, content, message) => {
    await expect(prepare(name, content)).rejects.toMatchObject({
      code: 'INVALID_FORMAT',
      message: expect.stringMatching(message),
    });
  });
});

it('a file with too much text is rejected', async () => {
  await expect(prepare('a.html', `<p>${'word '.repeat(4_100_000)}`)).rejects.toMatchObject({ code: 'INVALID_FORMAT' });
});
