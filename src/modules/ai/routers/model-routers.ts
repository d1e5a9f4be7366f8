import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AiSettings } from '../ai.settings.js';
import { ModelRouterNotConfigured } from '../ai.errors.js';
import type { RouterDeclaration } from '../catalog/models-file.js';
import type { ModelRouter } from './model-router.js';
import { openRouter } from './open-router.js';

/** The routers that the operator has set, by their IDs. There may be none. */
@Injectable()
export class ModelRouters implements OnApplicationShutdown {
  private readonly routers: ReadonlyMap<string, ModelRouter>;
  private readonly declarations: ReadonlyMap<string, RouterDeclaration>;
  private readonly keys: readonly string[];

  constructor(settings: AiSettings) {
    this.declarations = new Map(settings.routers.map((declaration) => [declaration.id, declaration]));
    this.keys = settings.routers.flatMap(({ apiKey }) => apiKey ?? []);
    this.routers = new Map(settings.routers.map((declaration) => [declaration.id, openRouter(declaration)]));
  }

  get all(): readonly ModelRouter[] {
    return [...this.routers.values()];
  }

  find(id: string): ModelRouter | undefined {
    return this.routers.get(id);
  }

  /** Returns what the operator has declared, in the order in which routers serve a model that several list. */
  get declared(): readonly RouterDeclaration[] {
    return [...this.declarations.values()];
  }

  /**
   * True when organizations may use their own keys with a router. A server that does not check keys is the operator's
   * own: its operator has to allow it.
   */
  takesOwnKeys(id: string): boolean {
    const declaration = this.declarations.get(id);
    return declaration !== undefined && (declaration.ownKeys ?? declaration.type !== 'openai');
  }

  /** True when a request can ask the router to choose only providers that keep no texts. */
  asksForZeroRetention(id: string): boolean {
    return this.declarations.get(id)?.type === 'openrouter';
  }

  /** True when texts can be sent to the router without being kept there. */
  keepsNothing(id: string): boolean {
    return this.asksForZeroRetention(id) || this.declarations.get(id)?.zeroRetention === true;
  }

  /** Removes the operator's keys from a text that another service wrote: some repeat the key that they refuse. */
  withoutKeys(text: string): string {
    return this.keys.reduce((rest, key) => rest.replaceAll(key, '[key]'), text);
  }

  /** @throws {ModelRouterNotConfigured} `model_router_not_configured` when there is no router at all. */
  requireAny(): void {
    if (this.routers.size === 0) throw new ModelRouterNotConfigured();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.all.map((router) => router.close()));
  }
}
