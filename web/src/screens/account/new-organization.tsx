import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { api, queries } from '../../api';
import { meQuery } from '../../data/me';
import { pathTo } from '../../paths';
import { Field, Form } from '../../ui/form';
import { Page } from '../../ui/page';

/** An organization that other people can be invited to. */
export function Screen(): ReactNode {
  const [, go] = useLocation();
  return (
    <Page title="New organization">
      <div className="card max-w-md p-4">
        <Form
          label="New organization"
          submit="Create the organization"
          onSubmit={async ({ name = '', slug = '' }) => {
            const made = await api.orgs.create({ name, ...(slug !== '' && { slug }) });
            await queries.invalidateQueries({ queryKey: meQuery.queryKey });
            go(pathTo('members', { org: made.slug }));
          }}
        >
          <Field label="Name" name="name" required autoFocus maxLength={100} placeholder="Acme" />
          <Field
            label="Slug"
            name="slug"
            autoCapitalize="none"
            spellCheck={false}
            hint="It is in the addresses of its repositories. Left empty, it comes from the name."
          />
        </Form>
      </div>
    </Page>
  );
}
