/** Returns a minimal PDF file with lines of text on each page. */
export function makePdf(pages: readonly (readonly string[])[], { title }: { title?: string } = {}): Uint8Array {
  const pageIds = pages.map((_, index) => 4 + index * 2);
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pageIds.map((id) => `${id} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((lines, index) => {
      const shown = lines.map((line) => `(${escapeText(line)}) Tj 0 -14 Td`).join('\n');
      const stream = `BT /F1 12 Tf 72 720 Td\n${shown}\nET`;
      const resources = '<< /Font << /F1 3 0 R >> >>';
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources ${resources} /Contents ${5 + index * 2} 0 R >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ];
    }),
    `<< /Title (${escapeText(title ?? '')}) >>`,
  ];
  return writePdf(objects, `/Info ${objects.length} 0 R`);
}

/** Returns a PDF file with an unknown password. */
export function makeEncryptedPdf(): Uint8Array {
  const secret = `<${'ab'.repeat(32)}>`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [] /Count 0 >>',
    `<< /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O ${secret} /U ${secret} >>`,
  ];
  return writePdf(
    objects,
    '/Encrypt 3 0 R /ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>]',
  );
}

function writePdf(objects: readonly string[], trailer: string): Uint8Array {
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const start = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`;
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}

function escapeText(text: string): string {
  return text.replace(/[\\()]/g, '\\$&');
}
