agent.name = setmetatable({}, { __index = function() while true do end end })
agent.description = tostring(agent.name.x)
