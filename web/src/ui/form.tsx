import { ServiceError } from '@service/client';
import {
  createContext,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type SubmitEvent,
  useContext,
  useId,
  useRef,
  useState,
} from 'react';
import { Button, type Look } from './button';
import { ErrorNote } from './error-note';
import { forgetTyped } from './typed';

/** What the service says of a field, by the path of the field. */
const Faults = createContext<ReadonlyMap<string, string>>(new Map());

interface FormProps {
  /** The values are strings, by the names of the fields. What it throws is shown, and nothing typed is lost. */
  readonly onSubmit: (values: Readonly<Record<string, string>>) => Promise<unknown>;
  readonly submit: ReactNode;
  readonly look?: NonNullable<Look['look']>;
  readonly wide?: boolean;
  /** Beside the button. */
  readonly aside?: ReactNode;
  readonly label?: string;
  readonly children: ReactNode;
}

/** A form of native fields. The faults of a 400 stand beside their fields, and the first of them has the focus. */
export function Form({
  onSubmit,
  submit,
  look = 'primary',
  wide = false,
  aside,
  label,
  children,
}: FormProps): ReactNode {
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const faults = faultsOf(error);

  const send = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (busy) return;
    const sent = event.currentTarget;
    setBusy(true);
    setError(undefined);
    try {
      await onSubmit(
        Object.fromEntries(
          [...new FormData(sent)].map(([name, value]) => [name, typeof value === 'string' ? value : value.name]),
        ),
      );
      forgetTyped(sent);
    } catch (thrown) {
      setError(thrown);
      focusOn(form.current, [...faultsOf(thrown).keys()]);
    } finally {
      setBusy(false);
    }
  };
  const unplaced = [...faults.keys()].filter((name) => form.current?.elements.namedItem(name) == null);
  return (
    <form ref={form} aria-label={label} onSubmit={(event) => void send(event)} className="grid gap-4">
      <Faults value={faults}>{children}</Faults>
      {error !== undefined && (faults.size === 0 || unplaced.length > 0) && <ErrorNote error={error} />}
      <div className={`flex items-center gap-3 ${wide ? '' : 'justify-end'}`}>
        {aside}
        <Button type="submit" look={look} busy={busy} wide={wide} className={wide ? 'h-9' : ''}>
          {submit}
        </Button>
      </div>
    </form>
  );
}

export interface Labelled {
  readonly label: string;
  readonly name: string;
  readonly hint?: ReactNode;
}

/** A field of text with its label, its hint and what is wrong with it. */
export function Field({ label, hint, ...input }: Labelled & InputHTMLAttributes<HTMLInputElement>): ReactNode {
  return (
    <Row label={label} name={input.name} hint={hint}>
      {(facts) => <input autoComplete="off" {...input} {...facts} className={`input ${input.className ?? ''}`} />}
    </Row>
  );
}

export function Choice({
  label,
  hint,
  children,
  ...input
}: Labelled & SelectHTMLAttributes<HTMLSelectElement>): ReactNode {
  return (
    <Row label={label} name={input.name} hint={hint}>
      {(facts) => (
        <select {...input} {...facts} className={`input ${input.className ?? ''}`}>
          {children}
        </select>
      )}
    </Row>
  );
}

interface Facts {
  readonly id: string;
  readonly 'aria-invalid': boolean | undefined;
  readonly 'aria-describedby': string | undefined;
}

type RowProps = Labelled & { readonly children: (facts: Facts) => ReactNode };

/** A field of any kind with its label, its hint and what is wrong with it. */
export function Row({ label, name, hint, children }: RowProps): ReactNode {
  const id = useId();
  const fault = useContext(Faults).get(name);
  const described = [hint !== undefined && `${id}-hint`, fault !== undefined && `${id}-fault`]
    .filter(Boolean)
    .join(' ');
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children({
        id,
        'aria-invalid': fault === undefined ? undefined : true,
        'aria-describedby': described || undefined,
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-muted text-sm">
          {hint}
        </p>
      )}
      {fault !== undefined && (
        <p id={`${id}-fault`} className="text-bad text-sm">
          {fault}
        </p>
      )}
    </div>
  );
}

function faultsOf(error: unknown): ReadonlyMap<string, string> {
  if (!(error instanceof ServiceError) || error.status !== 400 || !Array.isArray(error.details)) return new Map();
  const rows = error.details as readonly { readonly path?: unknown; readonly message?: unknown }[];
  return new Map(
    rows.flatMap(({ path, message }) =>
      typeof path === 'string' && typeof message === 'string' && path !== '' ? [[path, message] as const] : [],
    ),
  );
}

function focusOn(form: HTMLFormElement | null, names: readonly string[]): void {
  const first = names.map((name) => form?.elements.namedItem(name)).find((found) => found instanceof HTMLElement);
  first?.focus();
}
