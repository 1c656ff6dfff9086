-- Everything a script might try in order to get out; what it found comes back.
function agent.resolve(args, config, context)
  local found = {}
  for _, name in ipairs({
    "load", "loadstring", "loadfile", "dofile", "require", "package", "os", "io", "debug", "collectgarbage", "module",
    "setfenv", "getfenv", "process", "globalThis", "global", "Function", "eval", "js", "null", "python",
  }) do
    if _G[name] ~= nil then found[#found + 1] = name end
  end
  if string.dump then found[#found + 1] = "string.dump" end
  if type(getmetatable("")) ~= "string" then found[#found + 1] = "metatable of strings" end
  if pcall(setmetatable, "", {}) then found[#found + 1] = "setmetatable of a string" end
  for _, name in ipairs({ "constructor", "__proto__", "prototype", "toString", "hasOwnProperty", "call", "apply" }) do
    for place, value in pairs({
      json = json, http = http, fs = fs, env = env, log = log, crypto = crypto, base64 = base64,
      context = context, args = args, config = config, string = string, agent = agent,
    }) do
      if value[name] ~= nil then found[#found + 1] = place .. "." .. name end
    end
    local fine, value = pcall(function() return (""):rep(1)[name] end)
    if fine and value ~= nil then found[#found + 1] = "text." .. name end
    fine, value = pcall(function() return print[name] end)
    if fine then found[#found + 1] = "function." .. name end
    fine, value = pcall(function() return json.null[name] end)
    if fine then found[#found + 1] = "json.null." .. name end
  end
  for _, value in pairs({ json, http, context, args, print }) do
    if getmetatable(value) ~= nil then found[#found + 1] = "a metatable" end
  end
  return { found = table.concat(found, ", ") }
end
