import type { ReactNode } from 'react';
import { Button } from '../ui/button';
import { Copy } from '../ui/copy';
import { saveFile } from '../ui/save-file';

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onDone: () => void;
}

/** The recovery codes, which are never shown again. */
export function RecoveryCodes({ codes, onDone }: RecoveryCodesProps): ReactNode {
  const text = `${codes.join('\n')}\n`;
  return (
    <div className="grid gap-4">
      <p className="text-muted">
        Each code signs you in once when you have no other factor. Keep them where you find them without this device.
        They are not shown again.
      </p>
      <div className="bg-sunken relative rounded-md p-3">
        <ul aria-label="Recovery codes" className="grid grid-cols-2 gap-x-6 gap-y-1 font-mono text-sm">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <span className="absolute top-2 right-2">
          <Copy text={text} label="Copy the recovery codes" />
        </span>
      </div>
      <div className="flex justify-end gap-2">
        <Button
          onClick={() => {
            saveFile('recovery-codes.txt', 'text/plain', text);
          }}
        >
          Download
        </Button>
        <Button look="primary" onClick={onDone}>
          I have kept them
        </Button>
      </div>
    </div>
  );
}
