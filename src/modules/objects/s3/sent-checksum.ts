import type { StoredChecksum } from '../persistence/bucket-rows.js';
import { checksumHeaderOf } from './body/request-body.js';
import type { XmlContent } from './xml/xml-writer.js';

export const checksumHeaders = (checksum: StoredChecksum | null): Record<string, string> =>
  checksum === null
    ? {}
    : { [checksumHeaderOf(checksum.algorithm)]: checksum.value, 'x-amz-checksum-type': checksum.type };

export const checksumElements = (checksum: StoredChecksum | null): (readonly [string, XmlContent])[] =>
  checksum === null
    ? []
    : [
        [`Checksum${checksum.algorithm}`, checksum.value],
        ['ChecksumType', checksum.type],
      ];
