import type { Deploy, Page } from '@service/client';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, queries } from '../../api';
import { deployQuery, deploysQuery } from '../../data/projects';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { noticeFailure } from '../../ui/notices';

export const canRollBackTo = ({ type, state, files_removed: removed, live }: Deploy): boolean =>
  type === 'production' && state === 'ready' && removed !== true && !live;

interface RollBackDialogProps {
  readonly project: string;
  /** What production goes back to; the dialog is closed without one. */
  readonly deploy: Deploy | undefined;
  readonly onClose: () => void;
}

/** Names what visitors get. It closes at once, and the change is taken back where the service refuses. */
export function RollBackDialog({ project, deploy: chosen, onClose }: RollBackDialogProps): ReactNode {
  const rollBack = useRollBack(project);
  return (
    <Dialog open={chosen !== undefined} title="Roll back production?" onClose={onClose}>
      <p className="text-muted break-words">
        Visitors get <b className="text-ink">{chosen?.commit?.message ?? chosen?.id}</b>
        {chosen?.commit !== undefined && (
          <>
            {' '}
            (<code className="font-mono text-xs">{chosen.commit.sha.slice(0, 7)}</code>)
          </>
        )}{' '}
        within a second. Nothing is built again, and you can go forward as fast.
      </p>
      <div className="mt-5 flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look="primary"
          onClick={() => {
            if (chosen !== undefined) rollBack.mutate(chosen.id);
            onClose();
          }}
        >
          Roll back
        </Button>
      </div>
    </Dialog>
  );
}

/** Shown at once, and taken back with the error where the service refuses. */
function useRollBack(project: string): { mutate: (deploy: string) => void } {
  const key = deploysQuery(project).queryKey;
  return useMutation({
    mutationFn: (deploy: string) => api.projects.rollback(project, deploy),
    onMutate: async (deploy) => {
      await queries.cancelQueries({ queryKey: key });
      const before = queries.getQueryData(key);
      queries.setQueryData(key, (old) =>
        old === undefined ? old : { ...old, pages: old.pages.map((page) => liveIs(page, deploy)) },
      );
      const one = queries.getQueryData(deployQuery(deploy).queryKey);
      if (one !== undefined) queries.setQueryData(deployQuery(deploy).queryKey, { ...one, live: true });
      return { before, one };
    },
    onError: (error, deploy, context) => {
      queries.setQueryData(key, context?.before);
      queries.setQueryData(deployQuery(deploy).queryKey, context?.one);
      noticeFailure(error);
    },
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: key });
      void queries.invalidateQueries({ queryKey: ['deploy'] });
      void queries.invalidateQueries({ queryKey: ['projects'] });
    },
  });
}

const liveIs = (page: Page<Deploy>, deploy: string): Page<Deploy> => ({
  ...page,
  data: page.data.map((one) => ({ ...one, live: one.id === deploy })),
});
