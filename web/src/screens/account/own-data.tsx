import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../../api';
import { Button } from '../../ui/button';
import { ErrorNote } from '../../ui/error-note';
import { saveFile } from '../../ui/save-file';

const LAST_LINE = /\n\{"end":.*\}\n$/;

/** Downloads what the service keeps about the person. */
export function OwnData(): ReactNode {
  const download = useMutation({
    mutationFn: async () => {
      const text = await (await api.me.export()).text();
      if (!LAST_LINE.test(text)) throw new Error('The download broke off. Try it again.');
      saveFile('account.ndjson', 'application/x-ndjson', text);
    },
  });
  return (
    <div className="grid gap-3">
      {download.isError && <ErrorNote error={download.error} />}
      <div>
        <Button
          busy={download.isPending}
          onClick={() => {
            download.mutate();
          }}
        >
          Download your data
        </Button>
      </div>
    </div>
  );
}
