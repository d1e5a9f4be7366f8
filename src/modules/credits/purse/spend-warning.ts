/** Percentages of the spend cap. */
const WARNING_LEVELS = [50, 80, 100] as const;
export type WarningLevel = (typeof WARNING_LEVELS)[number];

/** A warning is sent once for each organization, month and level. */
export interface SpendWarning {
  readonly orgId: string;
  readonly month: string;
  readonly level: WarningLevel;
  readonly billedNano: bigint;
  readonly capNano: bigint;
  readonly warnedAt: Date;
}

/** A cap of zero gives no warnings, because nothing is ever billed. */
export const reachedLevels = (billedNano: bigint, capNano: bigint): WarningLevel[] =>
  WARNING_LEVELS.filter((level) => capNano > 0n && billedNano * 100n >= capNano * BigInt(level));
