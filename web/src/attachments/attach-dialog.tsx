import type { ReactNode } from 'react';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { Choice, Field, Form } from '../ui/form';

export type Target = 'production' | 'preview';

export interface Attachment {
  readonly prefix: string;
  readonly targets: readonly Target[];
  readonly values: Readonly<Record<string, string>>;
}

/** An attachment that is made, or changed. */
export interface AttachChoice<Row> {
  /** What it attaches to what, as in `Attach shop`. The dialog is open while there is a title. */
  readonly title: string | undefined;
  /** What is chosen from: its name, and each choice with its id. */
  readonly choose: { readonly label: string; readonly options: readonly (readonly [id: string, name: string])[] };
  /** What an attachment that exists has, to change it. The choice is its id then, and fixed. */
  readonly current: (Row & { readonly id: string }) | undefined;
  readonly onClose: () => void;
}

interface AttachDialogProps extends AttachChoice<{ readonly prefix: string; readonly targets: readonly Target[] }> {
  readonly defaultPrefix: string;
  /** What the prefix is for. */
  readonly prefixHint: string;
  readonly children: ReactNode;
  readonly onAttach: (id: string, attachment: Attachment) => Promise<unknown>;
}

/** Gives a project variables of a database or of a bucket. */
export function AttachDialog({
  title,
  choose,
  current,
  defaultPrefix,
  prefixHint,
  children,
  onClose,
  onAttach,
}: AttachDialogProps): ReactNode {
  return (
    <Dialog open={title !== undefined} title={title ?? ''} onClose={onClose}>
      <Form
        label="Attachment"
        submit={current === undefined ? 'Attach' : 'Save'}
        aside={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async (values) => {
          const targets = (['production', 'preview'] as const).filter((each) => values[`target_${each}`] !== undefined);
          if (targets.length === 0) throw new Error('Choose at least one of production and preview.');
          await onAttach(current?.id ?? values['chosen'] ?? '', {
            prefix: values['prefix'] ?? defaultPrefix,
            targets,
            values,
          });
          onClose();
        }}
      >
        {current === undefined && (
          <Choice label={choose.label} name="chosen" required autoFocus defaultValue="">
            <option value="" disabled>
              Choose one
            </option>
            {choose.options.map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Choice>
        )}
        <Field
          label="Prefix of the variables"
          name="prefix"
          required
          maxLength={32}
          pattern="[A-Z][A-Z0-9_]*"
          title="Capital letters, digits and _, beginning with a letter"
          className="font-mono"
          defaultValue={current?.prefix ?? defaultPrefix}
          hint={prefixHint}
        />
        <fieldset>
          <legend className="mb-1 font-medium">For</legend>
          {(['production', 'preview'] as const).map((each) => (
            <label key={each} className="flex min-h-6 w-fit items-center gap-2">
              <input
                type="checkbox"
                name={`target_${each}`}
                className="size-4 accent-[var(--accent)]"
                defaultChecked={current?.targets.includes(each) ?? true}
              />
              {each === 'production' ? 'Production deploys' : 'Preview deploys'}
            </label>
          ))}
        </fieldset>
        {children}
        <p className="text-muted text-sm">
          It counts from the next deploy on. A variable that the project itself sets wins.
        </p>
      </Form>
    </Dialog>
  );
}

/** `Production and preview` */
export function targetsInWords(targets: readonly Target[]): string {
  if (targets.length === 2) return 'Production and preview';
  return targets[0] === 'preview' ? 'Preview' : 'Production';
}
