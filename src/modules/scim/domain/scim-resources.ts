import type { UserAttributes } from './user-attributes.js';

/** A user as the provider of one connection knows it, and the account that it stands for. */
export interface ScimUser extends UserAttributes {
  readonly id: string;
  readonly connectionId: string;
  readonly orgId: string;
  /** The account. */
  readonly userId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface ScimGroup {
  readonly id: string;
  readonly connectionId: string;
  readonly displayName: string;
  readonly externalId: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface ScimMember {
  readonly groupId: string;
  readonly id: string;
  readonly userName: string;
}

export interface Found<T> {
  readonly total: number;
  readonly items: readonly T[];
}
