/**
 * Runs work that can be continued later. When a person interrupts it, `onInterrupt` says how, and then the command ends
 * as it would have ended at once. A second interruption does not wait for it.
 */
export async function interruptible<T>(work: () => Promise<T>, onInterrupt: () => Promise<void>): Promise<T> {
  const interrupt = (): void => {
    void onInterrupt().finally(() => {
      process.kill(process.pid, 'SIGINT');
    });
  };
  process.once('SIGINT', interrupt);
  try {
    return await work();
  } finally {
    process.off('SIGINT', interrupt);
  }
}
