'use server';

import { revalidatePath } from 'next/cache';
import { deleteFile, storeFile } from '../lib/bucket';

const LARGEST_BYTES = 4_000_000;

export async function upload(form: FormData): Promise<void> {
  for (const file of form.getAll('files'))
    if (file instanceof File && file.size > 0 && file.size <= LARGEST_BYTES) await storeFile(file);
  revalidatePath('/');
}

export async function remove(form: FormData): Promise<void> {
  const key = form.get('key');
  if (typeof key === 'string' && key !== '') await deleteFile(key);
  revalidatePath('/');
}
