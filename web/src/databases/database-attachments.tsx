import type { Database } from '@service/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ProjectsAttached } from '../attachments/projects-attached';
import { databaseAttachmentsQuery } from '../data/databases';
import { AttachDatabase, DATABASE_ATTACHMENT, detachDatabase } from './attach-database';

interface DatabaseAttachmentsProps {
  readonly org: string;
  readonly database: Database;
  readonly mayWrite: boolean;
}

/** The projects whose apps and builds get this database. */
export function DatabaseAttachments({ org, database, mayWrite }: DatabaseAttachmentsProps): ReactNode {
  return (
    <ProjectsAttached
      org={org}
      name={database.name}
      hint="Apps and builds of these projects get the address of the database, without a secret."
      query={useInfiniteQuery(databaseAttachmentsQuery(org, database.id))}
      kind={DATABASE_ATTACHMENT}
      mayWrite={mayWrite}
      form={(open) => <AttachDatabase {...open} org={org} pair={(project) => ({ database: database.id, project })} />}
      onDetach={({ project_id: project }) => detachDatabase(org, database.id, project)}
    />
  );
}
