import { type ReactNode, useState } from 'react';
import { api, queries } from '../../api';
import { useMe } from '../../data/me';
import { PATHS } from '../../paths';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/confirm';

/** Deletes the account, once its username is typed. */
export function DeleteAccount(): ReactNode {
  const me = useMe();
  const [open, setOpen] = useState(false);
  const username = me?.user.username;
  return (
    <>
      <Button
        look="danger"
        onClick={() => {
          setOpen(true);
        }}
      >
        Delete the account
      </Button>
      {username !== undefined && (
        <Confirm
          open={open}
          title="Delete your account?"
          action="Delete the account"
          danger
          typed={username}
          onClose={() => {
            setOpen(false);
          }}
          onConfirm={async () => {
            await api.me.delete(username);
            // Nothing of the account stays in the page.
            queries.clear();
            location.assign(PATHS.signIn);
          }}
        >
          Your personal organization is deleted with all projects, databases, storage and repositories in it, and so are
          organizations in which you are alone. What you host stops. This cannot be undone.
        </Confirm>
      )}
    </>
  );
}
