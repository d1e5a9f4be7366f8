import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';

/** These variables are set for every project that a bucket is attached to. */
const Bucket = process.env.STORAGE_BUCKET;
const client = new S3Client({
  endpoint: process.env.STORAGE_ENDPOINT,
  region: process.env.STORAGE_REGION ?? 'us-east-1',
  forcePathStyle: true,
  credentials: {
    accessKeyId: process.env.STORAGE_ACCESS_KEY_ID ?? '',
    secretAccessKey: process.env.STORAGE_SECRET_ACCESS_KEY ?? '',
  },
});

export interface StoredFile {
  readonly key: string;
  readonly bytes: number;
  readonly changedAt: Date;
}

/** The newest 200 files, the newest first. */
export async function listFiles(): Promise<StoredFile[]> {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, MaxKeys: 200 }));
  return Contents.map(({ Key = '', Size = 0, LastModified = new Date(0) }) => ({
    key: Key,
    bytes: Size,
    changedAt: LastModified,
  }));
}

/** A bucket lists keys in their order. These go down as time goes up, so that a list begins with the newest. */
const LAST_TIME = 9_999_999_999_999;
const newKey = (name: string) => `${LAST_TIME - Date.now()}-${crypto.randomUUID().slice(0, 8)}/${name}`;

export async function storeFile(file: File): Promise<void> {
  const name = file.name.replaceAll(/[^\w.-]+/g, '-').slice(-80) || 'file';
  await client.send(
    new PutObjectCommand({
      Bucket,
      Key: newKey(name),
      Body: Buffer.from(await file.arrayBuffer()),
      ContentType: file.type || 'application/octet-stream',
    }),
  );
}

export async function deleteFile(key: string): Promise<void> {
  await client.send(new DeleteObjectCommand({ Bucket, Key: key }));
}

/** Returns undefined when there is no such file. */
export async function readFile(key: string) {
  try {
    const { Body, ContentType, ContentLength } = await client.send(new GetObjectCommand({ Bucket, Key: key }));
    return { body: Body!.transformToWebStream(), type: ContentType, bytes: ContentLength };
  } catch (error) {
    if (error instanceof NoSuchKey) return undefined;
    throw error;
  }
}
