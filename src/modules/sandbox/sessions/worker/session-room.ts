import { Injectable } from '@nestjs/common';
import { SandboxSettings } from '../../sandbox.settings.js';

/** The places for sessions in this worker. The memory that a session may use is reserved, even while it is frozen. */
@Injectable()
export class SessionRoom {
  private places = 0;
  private memoryBytes = 0;

  constructor(private readonly settings: SandboxSettings) {}

  /** Returns false when there is no room. */
  take(memoryBytes: number): boolean {
    const { sessions, sessionsMemoryBytes } = this.settings;
    if (this.places >= sessions || this.memoryBytes + memoryBytes > sessionsMemoryBytes) return false;
    this.places += 1;
    this.memoryBytes += memoryBytes;
    return true;
  }

  free(memoryBytes: number): void {
    this.places -= 1;
    this.memoryBytes -= memoryBytes;
  }
}
