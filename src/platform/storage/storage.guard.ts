import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { StorageRoom } from './storage-room.js';

const WRITES = new Set(['POST', 'PUT', 'PATCH']);

/**
 * The route works although the disk is nearly full: it stores nothing, or the little that is needed to make room, such
 * as a session or a task of an operator.
 */
export const NeedsNoStorage = Reflector.createDecorator<undefined, boolean>({ transform: () => true });

/** Refuses writes while the disk is nearly full. Reads continue, and so do deletions, which make room. */
@Injectable()
export class StorageGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly room: StorageRoom,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    if (!this.room.isLow) return true;
    const { method } = context.switchToHttp().getRequest<Request>();
    const places = [context.getHandler(), context.getClass()];
    if (WRITES.has(method) && !this.reflector.getAllAndOverride(NeedsNoStorage, places)) this.room.require();
    return true;
  }
}
