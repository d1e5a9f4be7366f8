import type { AccessLink } from '@service/client';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Button } from '../../ui/button';
import { CopyLine } from '../../ui/copy';
import { ErrorNote } from '../../ui/error-note';
import { Ago } from '../../ui/time';

interface SignedLinkProps {
  readonly create: () => Promise<AccessLink>;
}

/** Creates a link that opens what is protected, and shows it. */
export function SignedLink({ create }: SignedLinkProps): ReactNode {
  const [link, setLink] = useState<AccessLink>();
  const make = useMutation({ mutationFn: create, onSuccess: setLink });
  return (
    <div className="grid justify-items-start gap-3">
      {link !== undefined && (
        <div className="grid max-w-full gap-1">
          <CopyLine text={link.url} label="The signed link" />
          <p className="text-muted text-sm">
            It ends <Ago at={link.expires_at} />. People who have it may look at the site.
          </p>
        </div>
      )}
      {make.isError && <ErrorNote error={make.error} />}
      <Button
        busy={make.isPending}
        onClick={() => {
          make.mutate();
        }}
      >
        Create a link
      </Button>
    </div>
  );
}
