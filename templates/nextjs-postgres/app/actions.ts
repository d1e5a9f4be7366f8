'use server';

import { revalidatePath } from 'next/cache';
import { addEntry } from '../lib/database';

const text = (value: FormDataEntryValue | null, longest: number): string =>
  typeof value === 'string' ? value.trim().slice(0, longest) : '';

export async function sign(form: FormData): Promise<void> {
  const name = text(form.get('name'), 60);
  const message = text(form.get('message'), 500);
  if (name === '' || message === '') return;
  await addEntry(name, message);
  revalidatePath('/');
}
