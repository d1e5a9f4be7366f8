import { api } from '../api';

/** Long enough for a slow click, and of no use to who finds the address later. */
const VALID_SECONDS = 300;

/** An address of an object for this person and this moment. */
export async function addressOf(org: string, bucket: string, key: string): Promise<string> {
  const { url } = await api.storage.sign(
    bucket,
    { method: 'GET', key, expires_in: VALID_SECONDS },
    { organization: org },
  );
  return url;
}

/** Opens an object in a tab of its own, which knows nothing of this page. The browser shows it, or saves it. */
export async function openObject(org: string, bucket: string, key: string): Promise<void> {
  const link = document.createElement('a');
  link.href = await addressOf(org, bucket, key);
  link.target = '_blank';
  link.rel = 'noreferrer';
  link.click();
}
