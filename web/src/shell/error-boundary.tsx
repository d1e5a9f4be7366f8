import { Component, type ReactNode } from 'react';
import { Button } from '../ui/button';
import { Empty } from '../ui/empty';
import { ErrorNote } from '../ui/error-note';

interface Props {
  readonly children: ReactNode;
}

interface State {
  readonly error?: unknown;
}

/** Shows what went wrong in a screen in its place, and leaves the rest of the app usable. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = {};

  static getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    const action = (
      <Button
        onClick={() => {
          location.reload();
        }}
      >
        Load the page again
      </Button>
    );
    return (
      <div className="mx-auto max-w-3xl p-6">
        <Empty icon="warning" title="This screen failed" action={action}>
          <ErrorNote error={this.state.error} />
        </Empty>
      </div>
    );
  }
}
