import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

type Stdio = 'pipe' | 'ignore' | number;

const O_CLOEXEC = 0o2_000_000;

/**
 * Keeps descriptors that the service itself inherited out of isolated programs. Node opens everything close-on-exec but
 * cannot set that on inherited descriptors, such as a supervisor's pipe; those numbers are covered with `/dev/null`.
 */
export class DescriptorShield {
  private readonly inherited = inheritedDescriptors();
  private readonly nothing = openSync('/dev/null', 'r');

  cover(stdio: readonly Stdio[]): Stdio[] {
    const uncovered = this.inherited.filter((descriptor) => descriptor >= stdio.length);
    const covered: Stdio[] = [...stdio];
    for (const descriptor of uncovered) {
      while (covered.length < descriptor) covered.push('ignore');
      covered.push(this.nothing);
    }
    return covered;
  }

  close(): void {
    closeSync(this.nothing);
  }
}

function inheritedDescriptors(): number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter(staysOpen)
    .sort((a, b) => a - b);
}

function staysOpen(descriptor: number): boolean {
  try {
    const flags = /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    return flags !== undefined && (parseInt(flags, 8) & O_CLOEXEC) === 0;
  } catch {
    // The descriptor of the listing itself is already closed.
    return false;
  }
}
