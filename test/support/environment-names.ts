import 'reflect-metadata';
import { getMetadataStorage } from 'class-validator';
import { Environment } from '../../src/platform/config/environment.js';

/** Every variable that the service reads. */
export function environmentNames(): string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(Environment, '', false, false);
  return [...new Set(rules.map(({ propertyName }) => propertyName))];
}
