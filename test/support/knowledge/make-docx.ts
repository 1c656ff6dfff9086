import { crc32, deflateRawSync } from 'node:zlib';

/** A paragraph of a Word document: its style (`Heading1`, …) and its text; or the rows of a table. */
export type DocxBlock = { style?: string; text: string } | { rows: readonly (readonly string[])[] };

export function makeDocx(blocks: readonly DocxBlock[], { title }: { title?: string } = {}): Uint8Array {
  const styles = [1, 2, 3].map(
    (level) => `<w:style w:type="paragraph" w:styleId="Heading${level}"><w:name w:val="heading ${level}"/></w:style>`,
  );
  return makeZip({
    '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    '_rels/.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/_rels/document.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>`,
    'word/styles.xml': `<w:styles ${namespace}>${styles.join('')}</w:styles>`,
    'word/document.xml': `<w:document ${namespace}><w:body>${blocks.map(toXml).join('')}</w:body></w:document>`,
    'docProps/core.xml': `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${escapeXml(title ?? '')}</dc:title></cp:coreProperties>`,
  });
}

/** Returns a ZIP file. Writes `stated` sizes instead of the true ones. */
export function makeZip(files: Record<string, string | Uint8Array>, stated: Record<string, number> = {}): Uint8Array {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const plain = Buffer.from(content);
    const packed = deflateRawSync(plain);
    const size = stated[name] ?? plain.length;
    const header = zipHeader({ crc: crc32(plain), packed: packed.length, size, nameLength: Buffer.byteLength(name) });
    const local = Buffer.concat([signature(0x04034b50), header, Buffer.from(name), packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([signature(0x02014b50), Buffer.from([20, 0]), header, place, Buffer.from(name)]));
    parts.push(local);
    offset += local.length;
  }
  const names = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(names.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, names, signature(0x06054b50), end]);
}

const namespace = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

/** The fields that the local header and the directory share. */
function zipHeader(entry: { crc: number; packed: number; size: number; nameLength: number }): Buffer {
  const header = Buffer.alloc(26);
  header.writeUInt16LE(20, 0);
  header.writeUInt16LE(8, 4);
  header.writeUInt32LE(entry.crc, 10);
  header.writeUInt32LE(entry.packed, 14);
  header.writeUInt32LE(entry.size, 18);
  header.writeUInt16LE(entry.nameLength, 22);
  return header;
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function toXml(block: DocxBlock): string {
  if ('rows' in block) {
    const cell = (text: string) => `<w:tc>${toXml({ text })}</w:tc>`;
    return `<w:tbl>${block.rows.map((row) => `<w:tr>${row.map(cell).join('')}</w:tr>`).join('')}</w:tbl>`;
  }
  const style = block.style === undefined ? '' : `<w:pPr><w:pStyle w:val="${block.style}"/></w:pPr>`;
  return `<w:p>${style}<w:r><w:t>${escapeXml(block.text)}</w:t></w:r></w:p>`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
