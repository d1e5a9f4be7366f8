import type { ReactNode } from 'react';
import { useProjectNames } from '../data/names';
import { rowsOf } from '../data/paged';
import { More } from '../ui/more';
import { ScreenLink } from '../ui/screen-link';
import { type AttachmentRow, Attachments, type AttachmentsProps } from './attachments';

interface ProjectsAttachedProps<Row> extends Pick<AttachmentsProps<Row>, 'kind' | 'mayWrite' | 'form' | 'onDetach'> {
  readonly org: string;
  /** The name of what is attached. */
  readonly name: string;
  readonly hint: string;
  readonly query: Parameters<typeof More>[0]['query'] &
    AttachmentsProps<Row>['query'] & { readonly data: Parameters<typeof rowsOf<Row>>[0] };
}

/** The projects that a database or a bucket is attached to. */
export function ProjectsAttached<Row extends AttachmentRow & { readonly project_id: string }>({
  org,
  name,
  hint,
  query,
  ...same
}: ProjectsAttachedProps<Row>): ReactNode {
  const names = useProjectNames(org);
  const rows = rowsOf(query.data);
  const idOf = ({ project_id: id }: Row): string => id;
  const nameOf = (row: Row): string => names.get(idOf(row)) ?? idOf(row);
  return (
    <Attachments
      {...same}
      words={{
        title: 'Attached to',
        hint,
        label: 'Attachments',
        none: 'No project uses it yet.',
        add: 'Attach to a project',
        adding: `Attach ${name}`,
        editing: (row) => `Attachment to ${nameOf(row)}`,
        detaching: (row) => `Detach from ${nameOf(row)}?`,
      }}
      query={query}
      rows={rows}
      keyOf={idOf}
      nameOf={nameOf}
      more={<More query={query} />}
      side={{
        title: 'Project',
        cell: (row) => (
          <ScreenLink to="project" params={{ org, project: idOf(row) }} className="font-medium hover:underline">
            {nameOf(row)}
          </ScreenLink>
        ),
      }}
      choose={{ label: 'Project', options: [...names].filter(([id]) => !rows.some((row) => idOf(row) === id)) }}
    />
  );
}
