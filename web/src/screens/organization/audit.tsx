import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ignore, queries } from '../../api';
import { auditQuery } from '../../data/organization';
import { rowsOf } from '../../data/paged';
import { Button } from '../../ui/button';
import { Empty } from '../../ui/empty';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';
import { Page } from '../../ui/page';
import { Table } from '../../ui/table';
import { When } from '../../ui/time';
import { ExportAuditDialog } from './export-audit';

interface Params {
  readonly org: string;
}

export function prepare({ org }: Params): void {
  queries.infiniteQuery(auditQuery(org)).catch(ignore);
}

/** Who did what, and when. */
export function Screen({ org }: Params): ReactNode {
  const entries = useInfiniteQuery(auditQuery(org));
  const [text, setText] = useState('');
  const [isExporting, setIsExporting] = useState(false);
  const exporting = (
    <Button
      onClick={() => {
        setIsExporting(true);
      }}
    >
      Download
    </Button>
  );
  return (
    <Page title="Audit log" actions={exporting}>
      <ExportAuditDialog
        org={org}
        open={isExporting}
        onClose={() => {
          setIsExporting(false);
        }}
      />
      <Loaded query={entries}>
        {(data) => {
          const all = rowsOf(data);
          if (all.length === 0) return <Empty icon="audit" title="Nothing has happened yet" />;
          const wanted = text.toLowerCase();
          const shown = all.filter((entry) => JSON.stringify(entry).toLowerCase().includes(wanted));
          return (
            <>
              <input
                data-search
                type="search"
                className="input mb-4 max-w-sm"
                aria-label="Find in what is shown"
                placeholder="Find in what is shown"
                value={text}
                onChange={(event) => {
                  setText(event.target.value);
                }}
              />
              <Table
                label="Audit log, the latest first"
                rows={shown}
                keyOf={({ id }) => id}
                more={<More query={entries} />}
                columns={[
                  { title: 'Action', cell: ({ action }) => <code className="font-mono text-xs">{action}</code> },
                  {
                    title: 'On',
                    wideOnly: true,
                    cell: ({ target }) => (
                      <code className="text-muted block max-w-56 truncate font-mono text-xs">{target.id}</code>
                    ),
                  },
                  {
                    title: 'By',
                    wideOnly: true,
                    cell: ({ actor, ip }) => (
                      <span className="text-muted block max-w-56 truncate" title={ip}>
                        {actor.username ?? 'The service'}
                        {actor.key_id !== undefined && ' with a key'}
                      </span>
                    ),
                  },
                  {
                    title: 'When',
                    cell: ({ at }) => <When at={at} />,
                  },
                ]}
              />
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}
