import { type ReactNode, useState } from 'react';
import { Button } from './button';
import { Dialog } from './dialog';
import { Field, Form } from './form';

interface ConfirmProps {
  readonly open: boolean;
  readonly title: string;
  readonly onClose: () => void;
  /** What happens, in a sentence or two. */
  readonly children: ReactNode;
  readonly action: string;
  readonly onConfirm: () => Promise<unknown>;
  readonly danger?: boolean;
  /** What has to be typed first, for what cannot be undone. */
  readonly typed?: string;
}

/** Asks before something happens. It stays open with the error where that fails. */
export function Confirm({
  open,
  title,
  onClose,
  children,
  action,
  onConfirm,
  danger = false,
  typed,
}: ConfirmProps): ReactNode {
  const [text, setText] = useState('');
  const close = (): void => {
    setText('');
    onClose();
  };
  return (
    <Dialog open={open} title={title} onClose={close}>
      <Form
        label={title}
        submit={action}
        look={danger ? 'danger' : 'primary'}
        aside={<Button onClick={close}>Cancel</Button>}
        onSubmit={async () => {
          if (typed !== undefined && text !== typed) throw new Error(`Type ${typed} to go on.`);
          await onConfirm();
          close();
        }}
      >
        <div className="text-muted">{children}</div>
        {typed !== undefined && (
          <Field
            label={`Type ${typed} to go on`}
            name="typed"
            value={text}
            onChange={(event) => {
              setText(event.target.value);
            }}
          />
        )}
      </Form>
    </Dialog>
  );
}
