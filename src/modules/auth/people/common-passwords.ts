/** Those of at least ten characters that lists of stolen passwords have most often; shorter ones are refused anyhow. */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set([
  '1234567890', '0123456789', '0987654321', '9876543210', '12345678910', '123456789a', '1234567891', '123456789q', '12345678901', '123123123123',
  '1111111111', '0000000000', '2222222222', '5555555555', '6666666666', '7777777777', '8888888888', '9999999999', '1212121212', '1122334455',
  '111222333444', '1020304050', '147258369123', '789456123000', '1q2w3e4r5t', '1q2w3e4r5t6y', 'q1w2e3r4t5', 'q1w2e3r4t5y6', '1qaz2wsx3edc', 'zaq12wsxcde3',
  'qwertyuiop', 'qwertyuiop123', 'qwerty12345', 'qwerty123456', 'qwerty1234', 'qwertyqwerty', 'asdfghjkl1', 'asdfghjkl;', 'asdfasdfasdf', 'zxcvbnm123',
  'password12', 'password123', 'password1234', 'password12345', 'passwordpassword', 'password01', 'password00', 'password11', 'password99', 'password!1',
  'passw0rd123', 'p@ssw0rd123', 'p@ssword123', 'mypassword', 'mypassword1', 'newpassword', 'changeme123', 'changeme1234', 'letmein123', 'letmein1234',
  'welcome123', 'welcome1234', 'administrator', 'admin12345', 'admin123456', 'adminadmin', 'administrator1', 'iloveyou12', 'iloveyou123', 'iloveyou1234',
  'iloveyousomuch', 'abc1234567', 'abcd123456', 'abcdefghij', 'abcdefghijk', 'a123456789', 'aa12345678', 'aaaaaaaaaa', 'abc123abc123', 'test123456',
  'testtest123', 'sunshine123', 'princess123', 'football123', 'baseball123', 'superman123', 'michael123', 'jennifer123', 'liverpool1', 'manchester',
  'chocolate1', 'basketball', 'basketball1', 'skateboard', 'volleyball', 'california', 'washington', 'motherlode', 'blink182182', 'christopher',
  'alexander1', 'leonardo123', 'realmadrid', 'barcelona1', 'playstation', 'windowsxp1', 'correcthorsebatterystaple', 'correct horse battery staple', 'trustno1trustno1', 'dragon12345',
]);
