import { crc32 } from 'node:zlib';

export interface Frame {
  png: Buffer;
  ms: number;
}

/** Joins PNG files of the same size and color type into an animation that repeats forever (PNG, third edition). Keeps their pixels as they are. */
export function toAnimation(frames: readonly Frame[]): Buffer {
  const [first] = frames;
  if (!first) throw new Error('An animation needs a frame.');
  const header = dataOf(first.png, 'IHDR');
  let sequence = 0;
  const parts = frames.flatMap(({ png, ms }, index) => {
    if (!dataOf(png, 'IHDR').equals(header)) throw new Error(`Frame ${index + 1} differs in size or color type.`);
    const control = Buffer.alloc(26);
    control.writeUInt32BE(sequence++, 0);
    header.copy(control, 4, 0, 8);
    control.writeUInt16BE(ms, 20);
    control.writeUInt16BE(1_000, 22);
    const pixels = dataOf(png, 'IDAT');
    return [chunk('fcTL', control), index === 0 ? chunk('IDAT', pixels) : chunk('fdAT', numbered(sequence++, pixels))];
  });
  const animation = Buffer.alloc(8);
  animation.writeUInt32BE(frames.length, 0);
  return Buffer.concat([
    first.png.subarray(0, 8),
    chunk('IHDR', header),
    chunk('acTL', animation),
    ...parts,
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function numbered(sequence: number, data: Buffer): Buffer {
  const number = Buffer.alloc(4);
  number.writeUInt32BE(sequence);
  return Buffer.concat([number, data]);
}

/** Returns the data of all chunks of a type, joined. */
function dataOf(png: Buffer, type: string): Buffer {
  const found: Buffer[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === type) found.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  return Buffer.concat(found);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
