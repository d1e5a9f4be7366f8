import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useState } from 'react';
import { ignore, queries } from '../../api';
import { opsOrganizationsQuery } from '../../data/operator';
import { PATHS } from '../../paths';
import { Empty } from '../../ui/empty';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';
import { Page } from '../../ui/page';
import { ScreenLink } from '../../ui/screen-link';
import { Table } from '../../ui/table';
import { When } from '../../ui/time';

export function prepare(): void {
  queries.infiniteQuery(opsOrganizationsQuery('')).catch(ignore);
}

/** Every organization of the installation, and the search for one. */
export function Screen(): ReactNode {
  const [text, setText] = useState('');
  const organizations = useInfiniteQuery(opsOrganizationsQuery(useDeferredValue(text.trim())));
  return (
    <Page title="Organizations" above={[['Operator', PATHS.operator]]}>
      <input
        data-search
        type="search"
        className="input mb-4 max-w-sm"
        maxLength={100}
        aria-label="Find an organization"
        placeholder="Name, slug, id or owner’s email"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
        }}
      />
      <Loaded query={organizations}>
        {({ pages }) => {
          const found = pages.flatMap((page) => page.organizations);
          if (found.length === 0)
            return (
              <Empty icon="search" title="No organization found">
                A part of the name or slug is enough. Of an id and an email address it takes the whole.
              </Empty>
            );
          return (
            <Table
              label="Organizations, the latest first"
              rows={found}
              keyOf={({ id }) => id}
              more={<More query={organizations} />}
              columns={[
                {
                  title: 'Organization',
                  cell: ({ id, name, slug }) => (
                    <div className="grid max-w-48 sm:max-w-96">
                      <ScreenLink to="operatorOrganization" params={{ id }} className="link truncate">
                        {name}
                      </ScreenLink>
                      <span className="text-muted truncate text-xs">{slug}</span>
                    </div>
                  ),
                },
                { title: 'Plan', cell: ({ plan }) => <span className="capitalize">{plan}</span> },
                { title: 'Kind', wideOnly: true, cell: ({ personal }) => (personal ? 'Personal' : 'Shared') },
                {
                  title: 'Created',
                  wideOnly: true,
                  cell: ({ createdAt }) => <When at={createdAt} />,
                },
              ]}
            />
          );
        }}
      </Loaded>
    </Page>
  );
}
