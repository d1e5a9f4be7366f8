import type { Bucket } from '@service/client';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useLocation } from 'wouter';
import { api, ignore, queries } from '../../api';
import { useMay } from '../../data/me';
import { bucketQuery, refreshStorage } from '../../data/storage';
import { pathTo } from '../../paths';
import { ProjectChoice } from '../../projects/project-choice';
import { BucketFrame, type BucketParams } from '../../storage/bucket-frame';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/confirm';
import { Copy } from '../../ui/copy';
import { Fact } from '../../ui/fact';
import { Field, Form } from '../../ui/form';
import { Section } from '../../ui/page';
import { Skeleton } from '../../ui/skeleton';
import { ScreenLink } from '../../ui/screen-link';

const BucketAttachments = lazy(async () => ({
  default: (await import('../../storage/bucket-attachments')).BucketAttachments,
}));
const CorsEditor = lazy(async () => ({ default: (await import('../../storage/cors-editor')).CorsEditor }));

export function prepare({ org, bucket }: BucketParams): void {
  queries.query(bucketQuery(org, bucket)).catch(ignore);
}

interface PartProps {
  readonly org: string;
  readonly bucket: Bucket;
}

export function Screen({ org, bucket: id }: BucketParams): ReactNode {
  const mayWrite = useMay(org, 'storage:write');
  return (
    <BucketFrame org={org} bucket={id} open="bucketSettings">
      {(bucket) => (
        <>
          <Connect org={org} bucket={bucket} />
          {mayWrite ? (
            <>
              <VisibilitySection org={org} bucket={bucket} />
              <Suspense fallback={<Skeleton lines={2} />}>
                <BucketAttachments org={org} bucket={bucket} />
              </Suspense>
              <Section
                title="Other origins (CORS)"
                hint="Which websites may read or upload from a browser, by the rules of CORS."
              >
                <Suspense fallback={<Skeleton lines={2} />}>
                  <CorsEditor org={org} bucket={bucket} />
                </Suspense>
              </Section>
              <General org={org} bucket={bucket} />
              <Delete org={org} bucket={bucket} />
            </>
          ) : (
            <p className="text-muted">Your role can read this bucket, not change it.</p>
          )}
        </>
      )}
    </BucketFrame>
  );
}

function Connect({ org, bucket }: PartProps): ReactNode {
  const { endpoint, bucket: name, region } = bucket.s3;
  const facts: readonly (readonly [name: string, value: string])[] = [
    ['Endpoint', endpoint],
    ['Bucket', name],
    ['Region', region],
    ...(bucket.public_url === null ? [] : [['Public address', bucket.public_url] as const]),
  ];
  return (
    <Section
      title="Connect"
      hint={
        <>
          Any S3 client works, with a key pair of the tab{' '}
          <ScreenLink to="storageKeys" params={{ org }} className="link">
            Access keys
          </ScreenLink>
          .
        </>
      }
    >
      <dl className="card grid gap-4 p-4 sm:grid-cols-2">
        {facts.map(([label, value]) => (
          <Fact key={label} name={label}>
            <code className="min-w-0 truncate font-mono text-xs">{value}</code>
            <Copy text={value} label={`Copy: ${label}`} />
          </Fact>
        ))}
      </dl>
    </Section>
  );
}

function VisibilitySection({ org, bucket }: PartProps): ReactNode {
  const [isAsking, setIsAsking] = useState(false);
  const isPublic = bucket.visibility === 'public';
  // What is asked stays the same question while its answer is on the way.
  const [hides, setHides] = useState(isPublic);
  return (
    <Section
      title="Visibility"
      hint={
        isPublic
          ? 'Everyone on the internet can read every object, without an account.'
          : 'Only members, key pairs and signed links open its objects.'
      }
    >
      <Button
        onClick={() => {
          setHides(isPublic);
          setIsAsking(true);
        }}
      >
        {isPublic ? 'Make it private' : 'Make it public'}
      </Button>
      <Confirm
        open={isAsking}
        title={hides ? `Make ${bucket.name} private?` : `Make ${bucket.name} public?`}
        action={hides ? 'Make it private' : 'Make it public'}
        danger={!hides}
        {...(!hides && { typed: bucket.name })}
        onClose={() => {
          setIsAsking(false);
        }}
        onConfirm={async () => {
          const changed = await api.storage.buckets.update(
            bucket.id,
            { visibility: hides ? 'private' : 'public' },
            { organization: org },
          );
          queries.setQueryData(bucketQuery(org, bucket.id).queryKey, changed);
          await refreshStorage(org);
        }}
      >
        {hides ? (
          'Public addresses stop working at once. What others have saved or cached stays with them.'
        ) : (
          <>
            <b className="text-bad">Everyone on the internet can then read all objects</b>, those that are there and
            those that come, by their address. Names can be guessed, although nobody can list them. Keep personal data
            and backups elsewhere.
          </>
        )}
      </Confirm>
    </Section>
  );
}

function General({ org, bucket }: PartProps): ReactNode {
  return (
    <Section title="Name, project and expiry">
      <div className="card p-5">
        <Form
          label="Bucket"
          submit="Save"
          onSubmit={async ({ name = '', project_id: project = '', expire_after_days: days = '' }) => {
            const changed = await api.storage.buckets.update(
              bucket.id,
              {
                name,
                project_id: project === '' ? null : project,
                expire_after_days: days === '' ? null : Number(days),
              },
              { organization: org },
            );
            queries.setQueryData(bucketQuery(org, bucket.id).queryKey, changed);
            await refreshStorage(org);
          }}
        >
          <Field
            label="Name"
            name="name"
            required
            maxLength={63}
            defaultValue={bucket.name}
            hint="The name for S3 clients stays as it is."
          />
          <ProjectChoice org={org} current={bucket.project_id} />
          <Field
            label="Delete objects after days"
            name="expire_after_days"
            type="number"
            min={1}
            max={3_650}
            defaultValue={bucket.expire_after_days ?? ''}
            placeholder="Never"
            hint="Counted from when an object was written, for those that are there already too."
          />
        </Form>
      </div>
    </Section>
  );
}

function Delete({ org, bucket }: PartProps): ReactNode {
  const [, go] = useLocation();
  const [isAsking, setIsAsking] = useState(false);
  return (
    <Section title="Delete" hint="Only an empty bucket can be deleted. Delete its objects first.">
      <Button
        look="danger"
        onClick={() => {
          setIsAsking(true);
        }}
      >
        Delete the bucket
      </Button>
      <Confirm
        open={isAsking}
        title={`Delete ${bucket.name}?`}
        action="Delete the bucket"
        danger
        typed={bucket.name}
        onClose={() => {
          setIsAsking(false);
        }}
        onConfirm={async () => {
          await api.storage.buckets.delete(bucket.id, { organization: org });
          go(pathTo('buckets', { org }));
          queries.removeQueries({ queryKey: bucketQuery(org, bucket.id).queryKey });
          await refreshStorage(org);
        }}
      >
        Its addresses and attachments end. This cannot be undone.
      </Confirm>
    </Section>
  );
}
