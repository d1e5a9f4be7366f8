import type { DatabaseResult } from '@service/client';
import { saveFile } from '../ui/save-file';
import { csvOf } from './result-csv';

type Result = Pick<DatabaseResult, 'columns' | 'rows'>;

/** Saves the rows as a file. */
export function saveResult(result: Result, as: 'csv' | 'json'): void {
  if (as === 'csv') {
    saveFile('result.csv', 'text/csv', csvOf(result));
    return;
  }
  const names = result.columns.map(({ name }) => name);
  const objects = result.rows.map((row) => Object.fromEntries(row.map((value, at) => [names[at]!, value])) as object);
  saveFile('result.json', 'application/json', JSON.stringify(objects, null, 2));
}
