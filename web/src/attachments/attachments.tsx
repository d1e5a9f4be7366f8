import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Button } from '../ui/button';
import { Confirm } from '../ui/confirm';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/page';
import { type Column, Table } from '../ui/table';
import { type AttachChoice, type Target, targetsInWords } from './attach-dialog';

export interface AttachmentRow {
  readonly targets: readonly Target[];
}

/** What is the same for one kind of thing, whichever side the attachments are listed on. */
export interface AttachmentKind<Row> {
  /** The names of the variables. */
  readonly variable: Column<Row>;
  readonly details: readonly Column<Row>[];
  /** What a detachment means. */
  readonly detached: string;
}

interface Words<Row> {
  readonly title: string;
  readonly hint: string;
  /** The name of the table for screen readers. */
  readonly label: string;
  /** Shown while nothing is attached. */
  readonly none: string;
  /** The button that opens the form, and the title of the form then. */
  readonly add: string;
  readonly adding: string;
  /** The title of the form that changes an attachment. */
  readonly editing: (row: Row) => string;
  /** The question before a detachment. */
  readonly detaching: (row: Row) => string;
}

export interface AttachmentsProps<Row> {
  readonly words: Words<Row>;
  readonly query: Pick<UseQueryResult, 'data' | 'error' | 'refetch'>;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly nameOf: (row: Row) => string;
  /** The link to the other side of the attachment. */
  readonly side: Column<Row>;
  readonly kind: AttachmentKind<Row>;
  readonly more?: ReactNode;
  readonly mayWrite: boolean;
  readonly choose: AttachChoice<Row>['choose'];
  readonly form: (open: AttachChoice<Row>) => ReactNode;
  readonly onDetach: (row: Row) => Promise<unknown>;
}

/** What is attached to a project, or the projects that something is attached to. */
export function Attachments<Row extends AttachmentRow>({
  words,
  query,
  rows,
  keyOf,
  nameOf,
  side,
  kind,
  more,
  mayWrite,
  choose,
  form,
  onDetach,
}: AttachmentsProps<Row>): ReactNode {
  const [open, setOpen] = useState<'new' | { readonly edit: Row } | { readonly detach: Row }>();
  const close = (): void => {
    setOpen(undefined);
  };
  const edited = typeof open === 'object' && 'edit' in open ? open.edit : undefined;
  const detached = typeof open === 'object' && 'detach' in open ? open.detach : undefined;
  const actions = (row: Row): ReactNode =>
    mayWrite && (
      <span className="inline-flex">
        <Button
          look="quiet"
          onClick={() => {
            setOpen({ edit: row });
          }}
        >
          Edit<span className="sr-only"> {nameOf(row)}</span>
        </Button>
        <Button
          look="quiet"
          onClick={() => {
            setOpen({ detach: row });
          }}
        >
          Detach<span className="sr-only"> {nameOf(row)}</span>
        </Button>
      </span>
    );
  return (
    <Section title={words.title} hint={words.hint}>
      <Loaded query={query}>
        {() =>
          rows.length === 0 ? (
            <p className="text-muted mb-3">{words.none}</p>
          ) : (
            <div className="mb-3">
              <Table
                label={words.label}
                rows={rows}
                keyOf={keyOf}
                more={more}
                columns={[
                  side,
                  kind.variable,
                  { title: 'For', wideOnly: true, cell: ({ targets }) => targetsInWords(targets) },
                  ...kind.details,
                  { title: 'Actions', actions: true, cell: actions },
                ]}
              />
            </div>
          )
        }
      </Loaded>
      {mayWrite && (
        <Button
          onClick={() => {
            setOpen('new');
          }}
        >
          {words.add}
        </Button>
      )}
      {form({
        title: open === 'new' ? words.adding : edited === undefined ? undefined : words.editing(edited),
        choose,
        current: edited && { ...edited, id: keyOf(edited) },
        onClose: close,
      })}
      <Confirm
        open={detached !== undefined}
        title={detached === undefined ? '' : words.detaching(detached)}
        action="Detach"
        danger
        onClose={close}
        onConfirm={async () => {
          if (detached !== undefined) await onDetach(detached);
        }}
      >
        {kind.detached}
      </Confirm>
    </Section>
  );
}
