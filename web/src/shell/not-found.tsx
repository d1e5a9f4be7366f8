import type { ReactNode } from 'react';
import { PATHS } from '../paths';
import { ButtonLink } from '../ui/button';
import { Empty } from '../ui/empty';
import { Page } from '../ui/page';

export function NotFound(): ReactNode {
  return (
    <Page title="There is nothing here">
      <Empty icon="search" title="Not found" action={<ButtonLink href={PATHS.home}>Go to your projects</ButtonLink>}>
        The address is wrong, what it shows was deleted, or it belongs to an organization that you are not a member of.
      </Empty>
    </Page>
  );
}
