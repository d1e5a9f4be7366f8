import type { AddedFactor } from '@service/client';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { api } from '../api';
import { Copy } from '../ui/copy';
import { ErrorNote } from '../ui/error-note';
import { Field, Form } from '../ui/form';
import { Skeleton } from '../ui/skeleton';
import { QrCode } from './qr-code';

/** Shows the secret of an authenticator app, and asks for its first code. */
export function AppSetup({ onAdded }: { readonly onAdded: (added: AddedFactor) => void }): ReactNode {
  const begin = useMutation({ mutationFn: () => api.auth.beginTotp() });
  const { mutate } = begin;
  useEffect(() => {
    mutate();
  }, [mutate]);
  if (begin.isError)
    return (
      <ErrorNote
        error={begin.error}
        onRetry={() => {
          mutate();
        }}
      />
    );
  if (begin.data === undefined) return <Skeleton lines={4} />;
  const { secret, uri } = begin.data;
  return (
    <Form
      label="Authenticator app"
      submit="Confirm the app"
      onSubmit={async ({ code = '' }) => {
        onAdded(await api.auth.confirmTotp(code));
      }}
    >
      <p className="text-muted">Scan the code with your authenticator app, or type the secret into it.</p>
      <QrCode text={uri} label="QR code with the secret" />
      <p className="flex items-center gap-1">
        <code className="font-mono text-xs break-all">{secret}</code>
        <Copy text={secret} label="Copy the secret" />
      </p>
      <Field
        label="Code of the app"
        name="code"
        autoComplete="one-time-code"
        inputMode="numeric"
        required
        maxLength={10}
        hint="It shows that the app works. Until then nothing changes."
      />
    </Form>
  );
}
