-- What the next script must not see.
leaked = "global"
string.format = function() return "poisoned" end
string.upper = nil
math.floor = function() return 42 end
json.encode = function() return "poisoned" end
table.insert = nil
setmetatable(_G, { __index = function() return "poisoned" end })
pcall(function() getmetatable("").__index = function() return "poisoned" end end)
print = nil
function agent.resolve(args, config, context)
  context.search = nil
  args.extra = true
  return { system = "done" }
end
