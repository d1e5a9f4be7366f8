import { Injectable } from '@nestjs/common';
import { requireObjectKey } from '../../domain/object-keys.js';
import { ObjectsService } from '../../objects/objects.service.js';
import type { S3Answer, S3BucketCall, S3Operation } from '../s3-call.js';
import { S3Error } from '../s3-error.js';
import { refusalOf } from '../s3-refusals.js';
import { all, readXml, textOf } from '../xml/xml-reader.js';
import { writeXml, type XmlContent } from '../xml/xml-writer.js';

const MAX_BYTES = 2_097_152;
const MAX_KEYS = 1_000;

@Injectable()
export class DeleteManyObjects implements S3Operation {
  constructor(private readonly objects: ObjectsService) {}

  async run({ bucket, body }: S3BucketCall): Promise<S3Answer> {
    const root = readXml(await body.text(MAX_BYTES));
    const named = all(root, 'Object').map((object) => ({
      key: textOf(object, 'Key') ?? '',
      version: textOf(object, 'VersionId') ?? 'null',
    }));
    if (root.name !== 'Delete' || named.length === 0 || named.length > MAX_KEYS) throw new S3Error('MalformedXML');
    if (named.some(({ version }) => version !== 'null')) throw new S3Error('NotImplemented');
    const refused = new Map<string, S3Error>();
    for (const { key } of named) {
      try {
        requireObjectKey(key);
      } catch (error) {
        refused.set(key, refusalOf(error));
      }
    }
    const keys = [...new Set(named.map(({ key }) => key))];
    await this.objects.delete(
      bucket,
      keys.filter((key) => !refused.has(key)),
    );
    const isQuiet = textOf(root, 'Quiet') === 'true';
    return { status: 200, body: writeXml('DeleteResult', resultsOf(keys, refused, isQuiet)) };
  }
}

/** An object that was not there counts as deleted. */
const resultsOf = (keys: readonly string[], refused: ReadonlyMap<string, S3Error>, isQuiet: boolean): XmlContent =>
  keys.map((key) => {
    const refusal = refused.get(key);
    if (refusal === undefined) return isQuiet ? undefined : (['Deleted', [['Key', key]]] as const);
    const { code, message } = refusal;
    return [
      'Error',
      [
        ['Key', key],
        ['Code', code],
        ['Message', message],
      ],
    ] as const;
  });
