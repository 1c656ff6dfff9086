function agent.resolve()
  local kept = {}
  local function again(value)
    kept[#kept + 1] = value
    setmetatable({ ("x"):rep(10000) }, { __gc = again })
  end
  again({})
  while true do kept[#kept + 1] = ("y"):rep(1000 + #kept) end
end
