import { crc32 } from 'node:zlib';

export interface ZipEntry {
  name: string;
  bytes: Buffer;
}

/**
 * A zip of files, in the order given: the same bytes whenever and wherever it is made. What is in it is stored as it is: packages
 * this small are not worth a compressor, whose output may differ between machines.
 */
export function zip(entries: readonly ZipEntry[], time: number): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes } of entries) {
    const path = Buffer.from(name);
    // Version 2.0, names in UTF-8, stored.
    const about = Buffer.concat([
      Buffer.from([20, 0, 0, 8, 0, 0]),
      dosTime(time),
      uint32(crc32(bytes), bytes.length, bytes.length),
      uint16(path.length, 0),
    ]);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), about, path, bytes]);
    // Made on Unix; a file that all may read.
    const found = [
      Buffer.from('PK\x01\x02\x14\x03'),
      about,
      uint16(0, 0, 0),
      uint32(0o100644 * 2 ** 16, offset),
      path,
    ];
    parts.push(local);
    directory.push(Buffer.concat(found));
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = [
    Buffer.from('PK\x05\x06'),
    uint16(0, 0, entries.length, entries.length),
    uint32(listed.length, offset),
    uint16(0),
  ];
  return Buffer.concat([...parts, listed, ...end]);
}

/** In UTC, by two seconds. */
function dosTime(epochSeconds: number): Buffer {
  const at = new Date(epochSeconds * 1000);
  const clock = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  const day = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  return uint16(clock, day);
}

function uint16(...values: number[]): Buffer {
  return Buffer.from(Uint8Array.from(values.flatMap((value) => [value, value >> 8])));
}

function uint32(...values: number[]): Buffer {
  return Buffer.concat(values.map((value) => uint16(value % 2 ** 16, Math.floor(value / 2 ** 16))));
}
