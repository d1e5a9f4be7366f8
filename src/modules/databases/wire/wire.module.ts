import { Module } from '@nestjs/common';
import { AttemptsModule } from '../../auth/attempts.module.js';
import { OrgDirectoryModule } from '../../orgs/org-directory.module.js';
import { DatabaseAccessModule } from '../database-access.module.js';
import { DumpsModule } from '../dumps/dumps.module.js';
import { WIRE_METRICS } from '../metrics/gateway.metrics.js';
import { HostIdentityModule } from '../host/host-identity.module.js';
import { DatabasesPersistenceModule } from '../persistence/databases-persistence.module.js';
import { Arrivals } from './arrivals.js';
import { Admission } from './login/admission.js';
import { Greetings } from './login/greeting.js';
import { LoginAttempts } from './login/login-attempts.js';
import { SignIn } from './login/sign-in.js';
import { ConnectionPlaces } from './sessions/connection-places.js';
import { CredentialUses } from './sessions/credential-uses.js';
import { OpenSessions } from './sessions/open-sessions.js';
import { SessionBeginnings } from './sessions/session-beginnings.js';
import { SessionWatchSweeper } from './sessions/session-watch.sweeper.js';
import { Upstreams } from './sessions/upstreams.js';
import { WireConnections } from './wire-connections.js';
import { WireGateway } from './wire-gateway.js';
import { WireListenerModule } from './wire-listener.module.js';

/** The listener for clients of PostgreSQL, and the sessions that they have. */
@Module({
  imports: [
    AttemptsModule,
    DatabaseAccessModule,
    DatabasesPersistenceModule,
    DumpsModule,
    HostIdentityModule,
    OrgDirectoryModule,
    WireListenerModule,
  ],
  providers: [
    ...WIRE_METRICS,
    Admission,
    Arrivals,
    ConnectionPlaces,
    CredentialUses,
    Greetings,
    LoginAttempts,
    OpenSessions,
    SessionBeginnings,
    SessionWatchSweeper,
    SignIn,
    Upstreams,
    WireConnections,
    WireGateway,
  ],
  exports: [OpenSessions],
})
export class WireModule {}
