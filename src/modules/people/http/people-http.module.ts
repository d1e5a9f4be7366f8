import { Module } from '@nestjs/common';
import { SessionsModule } from '../../auth/sessions.module.js';
import { PeopleModule } from '../people.module.js';
import { AuthController } from './auth.controller.js';
import { PasswordsController } from './passwords.controller.js';
import { SessionsController } from './sessions.controller.js';

@Module({
  imports: [PeopleModule, SessionsModule],
  controllers: [AuthController, PasswordsController, SessionsController],
})
export class PeopleHttpModule {}
